"""The scripted model: every story in every way it can end, whatever else is in the conversation."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from hypothesis import given
from hypothesis import strategies as st
from openai import AsyncOpenAI, BadRequestError

from agent import prompts
from agent.core import asks, transcript
from agent.core.questions import Ask
from agent.core.transcript import Message, ToolCall
from agent.core.transitions import ASKED_ENOUGH, CONTEXT, CUT_OFF, NO_RESULT
from agent.core.values import Person
from agent.tools.confirm_action import Action
from agent.tools.spawn_agents import Work
from bot.playground import stories
from bot.playground.scripted_model import MODEL, PROMPTS, ScriptedModel, answer
from bot.playground.stories import Reply
from tests.support.conversation import faults
from tests.support.story_world import ADVICE, Storyteller

DATABASE, LAUNCH, DELETE, COMPARE, REPORT = PROMPTS
CHECKS = {
    "ask_user_question": Ask.parse,
    "confirm_action": Action.model_validate,
    "spawn_agents": Work.model_validate,
}
CALLS = [(act.tool, act.arguments) for story in stories.STORIES for act in story.acts]
ANN = Person(id="U1", name="ann")


def said(text: str) -> Message:
    return transcript.user(text, ANN)


def request(*messages: Message, tools: Any = tuple(CHECKS), **more: Any) -> dict[str, Any]:
    offered = [{"type": "function", "function": {"name": name, "parameters": {}}} for name in tools]
    return {"messages": [{"role": "system", "content": prompts.SYSTEM}, *messages], "tools": offered, **more}


def called(call: tuple[str, Any], result: Any, text: str = "Let me see.") -> list[Message]:
    made = ToolCall.numbered(1, 0, call[0], json.dumps(call[1]))
    content = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    return [transcript.assistant(text, [made]), transcript.result(made.id, content)]


def after(prompt: str, result: Any, *more: Message, **options: Any) -> Reply:
    """What is said once the story's first call has this result."""
    call = answer(request(said(prompt))).call
    assert call
    return answer(request(said(prompt), *called(call, result), *more, **options))


def answers(*given: str) -> dict[str, Any]:
    """To the first questions of the launch, or to the only one about the database."""
    [launch] = [arguments for _, arguments in CALLS if len(arguments.get("questions", ())) == 4]
    questions = [question["question"] for question in launch["questions"]]
    return {"answers": dict(zip(questions, given, strict=False))}


def chosen(words: str, **more: Any) -> dict[str, Any]:
    return {"answers": {"Which database should the new service use?": words}, **more}


@pytest.mark.parametrize("tool", CHECKS)
def test_every_call_of_a_story_is_valid_by_the_tool_itself(tool: str) -> None:
    made = [arguments for name, arguments in CALLS if name == tool]

    assert made
    for arguments in made:
        CHECKS[tool](arguments)


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        *((prompt.upper(), prompt) for prompt in PROMPTS),
        *((f"Hey, could you please {prompt[0].lower()}{prompt[1:]}? ", prompt) for prompt in PROMPTS),
        ("Which db should we use?", DATABASE),
        ("Please pick a database for our service", DATABASE),
        ("help us plan the product launch!", LAUNCH),
        ("remove the old staging env", DELETE),
        ("Compare hosting options", COMPARE),
        ("“Write a report on the release process”", REPORT),
    ],
)
def test_a_story_is_begun_by_its_prompt_and_by_other_words_for_it(text: str, prompt: str) -> None:
    assert answer(request(said(text))) == answer(request(said(prompt)))
    assert (story := stories.recognised(text))
    assert story.prompt == prompt


@pytest.mark.parametrize(
    "text",
    [
        "plan my vacation",
        "Give me a report on sales",
        "How do I host a dinner party?",
        "Do not delete staging",
        "Don't delete the old staging environment",
        "Please don\u2019t plan the launch",
        "Delete the old staging environment? No!",
        "Did somebody delete the old staging environment?",
        "🚫 delete staging",
        "never plan the launch with us",
        "What is a database?",
        "compare postgres and mysql",
        "delete the production database",
        "Write a great poem",
        "what is 2+2? thanks",
        "hey, can you fix the login bug?",
        "thanks, but no thanks",
        "Good morning, Vietnam",
        "never mind, go on",
        "once more",
        "",
    ],
)
def test_it_owns_up_to_whatever_it_does_not_understand(text: str) -> None:
    reply = answer(request(said(text)), ADVICE)

    assert reply.text.startswith("I am this playground's scripted model")
    assert "I cannot help with that" in reply.text
    assert all(prompt in reply.text for prompt in PROMPTS)
    assert reply.text.endswith(f"\n\n{ADVICE}")
    assert reply.call is None


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (chosen("PostgreSQL"), ["PostgreSQL it is.", "| Step |"]),
        (chosen("SQLite"), ["SQLite it is.", "write-ahead"]),
        (chosen("Key-value store"), ["Key-value store it is."]),
        (chosen("a big spreadsheet"), ["“a big spreadsheet” it is.", "Restore a backup once"]),
        (chosen("SQLite, for now"), ["SQLite, “for now” it is.", "write-ahead"]),
        (chosen("SQLite", discussion=["ann: hm", "ben: fine by me"]), ["SQLite it is.", "“ben: fine by me”"]),
        ({"answers": {}, "response": "whatever Ben likes"}, ["“whatever Ben likes”", "PostgreSQL it is."]),
        ({"skipped": asks.SKIPPED}, ["You left it to me", "PostgreSQL it is."]),
        ({"expired": asks.EXPIRED}, ["Nobody answered in time", "PostgreSQL it is."]),
        ({"failed": asks.FAILED}, ["I could not ask you", "PostgreSQL it is."]),
        (ASKED_ENOUGH, ["I could not ask you", "PostgreSQL it is."]),
        ("Error: questions: is missing", ["I could not ask you", "PostgreSQL it is."]),
        ({"cancelled": asks.CANCELLED}, ["I stop here"]),
    ],
)
def test_the_database_follows_from_however_the_question_ended(result: Any, words: list[str]) -> None:
    reply = after(DATABASE, result)

    assert reply.call is None
    assert all(each in reply.text for each in words)


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (
            answers("In two weeks", "Our own team", "Blog post, Newsletter, a podcast", "Undo it all"),
            [
                "built from your answers",
                "In two weeks",
                "Blog post, Newsletter, “a podcast”",
                "“Undo it all”",
                "| Day |",
            ],
        ),
        (
            answers("on my birthday", "my mum", "the radio", "Sing"),
            ["“on my birthday”", "“my mum”", "“the radio”", "“Sing”", "Halfway"],
        ),
        (answers("When it is ready") | {"skipped": asks.SKIPPED}, ["left it to me", "| Gate |", "(my suggestion)"]),
        (answers("In a month") | {"expired": asks.EXPIRED}, ["Nobody answered", "| Week |", "still to be written"]),
        (answers() | {"response": "not this year"}, ["“not this year”", "(my suggestion)"]),
        ({"skipped": asks.SKIPPED}, ["left it to me", "| Week |"]),
        (NO_RESULT, ["I could not ask you", "| Week |"]),
        ({"cancelled": asks.CANCELLED}, ["I stop here"]),
    ],
)
def test_the_launch_plan_is_built_from_whatever_was_answered(result: Any, words: list[str]) -> None:
    reply = after(LAUNCH, result)

    assert reply.call is None
    assert all(each in reply.text for each in words)


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ({"approved": True, "decided_by": "ben"}, ["Approved by ben", "nothing is deleted"]),
        ({"approved": True}, ["Approved, thank you.", "nothing is deleted"]),
        ({"approved": False, "decided_by": "ben", "reason": "too late"}, ["exactly as it is", "“too late”"]),
        ({"approved": False}, ["exactly as it is", "save from it first"]),
        ({"approved": False, "response": "the other one"}, ["exactly as it is", "“the other one”"]),
        ({"approved": False, "expired": asks.EXPIRED}, ["exactly as it is", "silence is not an approval"]),
        ({"approved": False, "discussion": ["ben: no!"]}, ["exactly as it is", "“ben: no!”"]),
        ({"cancelled": asks.CANCELLED}, ["I stop here"]),
        ("Error: arguments: action: is missing", ["exactly as it is"]),
    ],
)
def test_only_an_approval_lets_it_say_that_it_would_delete(result: Any, words: list[str]) -> None:
    reply = after(DELETE, result)

    assert reply.call is None
    assert all(each in reply.text for each in words)
    assert ("nothing is deleted" in reply.text) == (isinstance(result, dict) and result.get("approved") is True)


def sub_agents() -> list[tuple[str, Reply]]:
    [tasks] = [arguments["tasks"] for tool, arguments in CALLS if tool == "spawn_agents"]
    alone = [{"role": "system", "content": prompts.SUB_AGENT}]
    return [(task, answer({"messages": [*alone, transcript.user(task)]})) for task in tasks]


def test_sub_agents_say_different_things_and_take_different_times() -> None:
    replies = [reply for _, reply in sub_agents()]

    assert len({reply.text for reply in replies}) == len({reply.thinks for reply in replies}) == 3
    assert all(reply.call is None for reply in replies)
    assert "would have liked to ask" in replies[2].text


def test_the_reports_of_sub_agents_are_summed_up_and_the_decision_is_asked_for() -> None:
    reply = after(COMPARE, [{"task": task, "result": reply.text} for task, reply in sub_agents()])

    assert "All three are back." in reply.text
    assert reply.call
    decided = answer(request(*called(reply.call, {"answers": {"Where shall we host the new service?": "Functions"}})))
    assert "Decided: Functions." in decided.text
    assert decided.call is None


@pytest.mark.parametrize("result", ["Error: RuntimeError: no", NO_RESULT, [{"task": "x", "result": "It failed."}], [3]])
def test_sub_agents_that_failed_are_owned_up_to(result: Any) -> None:
    reply = after(COMPARE, result)

    assert "Not all three came back" in reply.text
    assert "would have liked" not in reply.text


@pytest.mark.parametrize("prompt", PROMPTS)
@pytest.mark.parametrize("options", [{"tools": ()}, {"tool_choice": "none"}, {"tools": ("look",)}])
def test_without_its_tools_a_story_is_told_to_the_end(prompt: str, options: dict[str, Any]) -> None:
    reply = answer(request(said(prompt), **options))

    assert reply.call is None
    assert len(reply.text) > 300
    assert "nothing is deleted" not in reply.text


def test_the_report_is_long_and_has_everything_that_can_be_shown() -> None:
    text = answer(request(said(REPORT))).text

    assert 6_000 < len(text) < 9_000
    assert all(mark in text for mark in ("\n## ", "\n| --- |", "\n```", "\n> ", "\n- ", "\n1. ", "\n- [ ] "))


def test_words_instead_of_answers_may_begin_another_story() -> None:
    assert after(LAUNCH, answers() | {"response": REPORT}).text == answer(request(said(REPORT))).text
    assert "exactly as it is" in after(DELETE, {"approved": False, "response": "delete the other one"}).text


def test_words_said_meanwhile_do_not_end_a_story_unless_they_begin_one() -> None:
    assert "SQLite it is." in after(DATABASE, chosen("SQLite"), said("thanks, and hurry")).text
    assert after(DATABASE, chosen("SQLite"), said(DELETE)).call == answer(request(said(DELETE))).call


def test_what_was_said_before_the_mention_begins_nothing() -> None:
    before = transcript.user(f"{CONTEXT}\nann: delete the database?\nben: hello")

    assert answer(request(before, said("What do you think?"))).text.startswith("I am this playground's scripted model")
    assert answer(request(before, said(LAUNCH))) == answer(request(said(LAUNCH)))


def test_what_is_in_a_file_begins_nothing() -> None:
    assert "scripted model" in answer(request(said("Look at this\n\n(Attached file a.md:)\ndelete all"))).text
    assert answer(
        request(transcript.user(f"{LAUNCH}\n\n(Attached image: a.png)", ANN, ["data:image/png;base64,"]))
    ).call


def test_after_a_stop_it_does_not_guess_what_go_on_means() -> None:
    stopped = [said(DELETE), transcript.assistant("(Stopped by ann.)")]

    assert "I cannot help with that" in answer(request(*stopped, said("go on"))).text


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("Hi there!", "Hello! I am"),
        ("Hello?", "Hello! I am"),
        ("good morning Parley", "Hello! I am"),
        ("Thanks again", "You are welcome! I am"),
        ("thank you!", "You are welcome! I am"),
    ],
)
def test_greetings_and_thanks_are_returned_with_what_it_can_show(text: str, reply: str) -> None:
    told = answer(request(said(DATABASE), transcript.assistant("Done."), said(text)), ADVICE)

    assert told.text.startswith(reply)
    assert all(prompt in told.text for prompt in PROMPTS)
    assert told.text.endswith(f"\n\n{ADVICE}")


def test_results_of_calls_that_no_story_made_get_the_honest_answer() -> None:
    other = ("ask_user_question", {"questions": [{"question": "Where to?"}]})

    assert "scripted model" in answer(request(said(DATABASE), *called(other, {"answers": {"Where to?": "x"}}))).text


def test_a_summary_keeps_what_was_said_and_answered_and_the_notes_so_far() -> None:
    told = "\n\n".join(
        [
            f"{prompts.EARLIER_NOTES}\n- ben: Compare three ways",
            f"ann: {DATABASE}",
            'assistant: For most services.\n[calls ask_user_question {"questions": []}]',
            f"tool: {json.dumps(chosen('SQLite'))}",
            "assistant: SQLite it is.\n\n| a | b |\n\nDone.",
        ]
    )
    reply = answer({"messages": [{"role": "system", "content": prompts.SUMMARISE}, transcript.user(told)]})

    assert reply.text.startswith(f"- ben: Compare three ways\n- ann: {DATABASE}\n- assistant: For most")
    assert '"SQLite"' in reply.text
    assert "[calls" not in reply.text
    notes = transcript.user(f"{prompts.SUMMARY_HEADING}\n{reply.text}")
    assert "scripted model" in answer(request(notes, said("hm"))).text


@given(st.text())
def test_quoted_words_are_one_short_line_without_markup(text: str) -> None:
    quote = stories.quoted(f"`{text}|<!here>[x](y)**")

    assert len(quote) <= 102
    assert len(quote.splitlines()) == 1
    assert not set("`*|<>[]\\~") & set(quote)


def test_words_in_names_with_underscores_stay_as_they_are() -> None:
    assert stories.quoted("our _own_ my_db") == "“our own my_db”"


TEXTS = st.sampled_from([*PROMPTS, "thanks", "go on", f"{CONTEXT}\nann: drop it", CUT_OFF, ""]) | st.text(max_size=40)
ENDINGS = st.sampled_from(["skipped", "cancelled", "expired", "failed", "response", "reason", "decided_by"])
RESULTS = st.one_of(
    st.sampled_from(
        [NO_RESULT, ASKED_ENOUGH, "Error: x", "null", "[]", "[1]", '{"answers": null}', '{"answers": [1]}']
    ),
    st.fixed_dictionaries(
        {"approved": st.booleans() | st.none()},
        optional={"discussion": st.lists(st.text(max_size=20) | st.none(), max_size=3) | st.text(max_size=3)},
    ).map(json.dumps),
    st.dictionaries(ENDINGS, TEXTS, max_size=2).map(json.dumps),
    st.text(max_size=20),
)


@st.composite
def exchanges(draw: st.DrawFn) -> list[Message]:
    call = draw(st.sampled_from(CALLS))
    result: str = draw(RESULTS)
    if "questions" in call[1] and draw(st.booleans()):
        options = [[o["label"] for o in q.get("options", ())] for q in call[1]["questions"]]
        words = [draw(st.lists(st.sampled_from([*labels, "own"]), max_size=3).map(", ".join)) for labels in options]
        given = {q["question"]: text for q, text in zip(call[1]["questions"], words, strict=True) if text}
        result = json.dumps({"answers": given} | draw(st.dictionaries(ENDINGS, TEXTS, max_size=1)))
    return called(call, result, draw(TEXTS))


TALK = st.lists(
    st.one_of(TEXTS.map(lambda text: [said(text)]), TEXTS.map(lambda text: [transcript.assistant(text)]), exchanges()),
    min_size=1,
    max_size=6,
).map(lambda parts: [message for part in parts for message in part])


@given(TALK, st.lists(st.sampled_from([*CHECKS, "look"]), unique=True), st.sampled_from(["auto", "none"]))
def test_every_conversation_gets_a_reply_that_the_agent_can_take(
    messages: list[Message], tools: list[str], choice: str
) -> None:
    asked = request(*messages, tools=tools, tool_choice=choice)
    assert faults(asked["messages"]) == []

    reply = answer(asked)

    assert reply.text.strip()
    assert reply.thinks >= 0
    assert answer(json.loads(json.dumps(asked))) == reply
    if reply.call:
        name, arguments = reply.call
        assert name in tools
        assert choice != "none"
        CHECKS[name](arguments)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "tool_calls", "function", "id", "text"]), inner, max_size=4
        )
    ),
)
ROLES = st.sampled_from(["system", "user", "assistant", "tool", "odd"])


@given(
    st.lists(JUNK | st.builds(lambda role, rest: {"role": role, "content": rest, "tool_calls": rest}, ROLES, JUNK)),
    JUNK,
)
def test_not_even_nonsense_is_answered_with_an_exception(messages: list[Any], tools: Any) -> None:
    reply = answer({"messages": messages, "tools": tools})

    assert reply.text
    assert reply.call is None


def client(model: Storyteller) -> AsyncOpenAI:
    return AsyncOpenAI(api_key="none", base_url=model.base_url, max_retries=0)


def body(text: str) -> Any:
    asked: Mapping[str, Any] = request(said(text))
    return {"model": MODEL, **asked}


async def test_a_stream_ends_with_the_usage_and_is_the_same_as_the_whole() -> None:
    async with Storyteller() as model, client(model) as openai:
        whole = await openai.chat.completions.create(**body(DELETE))
        options = {"include_usage": True}
        stream = await openai.chat.completions.create(**body(DELETE), stream=True, stream_options=options)
        chunks = [chunk async for chunk in stream]

    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    fragments = [call.function for delta in deltas for call in delta.tool_calls or ()]
    [call] = whole.choices[0].message.tool_calls or ()
    assert "".join(delta.content or "" for delta in deltas) == whole.choices[0].message.content
    assert "".join(fragment.arguments or "" for fragment in fragments) == call.function.arguments
    assert fragments[0].name == call.function.name == "confirm_action"
    assert [chunk.choices[0].finish_reason for chunk in chunks[-2:-1]] == ["tool_calls"]
    assert chunks[-1].usage == whole.usage
    assert chunks[-1].usage
    assert chunks[-1].usage.completion_tokens > 50
    assert {chunk.model for chunk in chunks} == {whole.model} == {MODEL}


async def test_what_is_no_request_is_refused_with_a_sentence() -> None:
    async with Storyteller() as model, client(model) as openai:
        with pytest.raises(BadRequestError, match="none given"):
            await openai.chat.completions.create(model=MODEL, messages=[])


@pytest.mark.parametrize("sent", [b"{", b"\xff", b"[" * 100_000])
async def test_what_is_no_json_is_refused_with_a_sentence(sent: bytes) -> None:
    app = web.Application()
    app.router.add_post("/", ScriptedModel(pace=0).serve)
    async with TestClient(TestServer(app)) as http:
        response = await http.post("/", data=sent)
        refused = await response.json()

    assert response.status == 400
    assert refused["error"]["message"] == "The body is not JSON."


async def test_a_client_that_hangs_up_is_let_go_quietly(caplog: pytest.LogCaptureFixture) -> None:
    async with asyncio.timeout(10), Storyteller(pace=1) as model:  # the whole report would take longer
        async with (
            aiohttp.ClientSession() as session,
            session.post(f"{model.base_url}/chat/completions", json={**body(REPORT), "stream": True}) as response,
        ):
            await response.content.readline()
        await model.served.wait()

    assert model.failures == []
    assert caplog.records == []
