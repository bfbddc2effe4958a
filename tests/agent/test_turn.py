"""The turn, from what is said to the next pause or finish: a real store, the real SDK, a scripted model."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import FilePath

from agent import prompts, turn
from agent.core import asks, transitions
from agent.core.events import (
    AnswersGiven,
    AskCancelled,
    AskSkipped,
    Event,
    Limits,
    MessageReceived,
    ModelReplied,
    StopRequested,
    TurnFailed,
)
from agent.core.states import Failed, Idle, RunningTools, Stopped, Thinking, Waiting
from agent.core.steps import Refused
from agent.core.transitions import fold
from agent.ports import Recorded, ThreadKey
from agent.tools.registry import Toolbox
from tests.support import scripted_model
from tests.support.world import ANN, BEN, THREAD, World

WHICH = {"questions": [{"question": "Which?", "options": ["a", "b"]}]}
WHERE = {"questions": [{"question": "Where?", "options": ["here", "there"]}]}


def last_words(request: dict[str, Any]) -> str:
    return str(request["messages"][-1]["content"])


async def test_words_are_answered_and_the_reply_streams_to_whoever_watches(world: World) -> None:
    world.model.will_say("Hello there.", pieces=4)

    state = await world.says("hi")

    assert isinstance(state, Idle)
    assert "".join(world.seen.deltas) == "Hello there."
    assert len(world.seen.deltas) == 4
    system, said = world.model.requests[0]["messages"]
    assert system == {"role": "system", "content": prompts.SYSTEM}
    assert said == {"role": "user", "content": "hi", "name": "Ann"}


async def test_the_thread_pauses_on_an_ask_and_resumes_with_the_answers(world: World) -> None:
    world.model.will_ask(WHICH)
    world.model.will_say("b it is.")

    assert isinstance(await world.says("go"), Waiting)
    assert isinstance(await world.answers("b"), Idle)

    assert await world.results() == [{"answers": {"Which?": "b"}}]
    assert last_words(world.model.requests[1]) == '{"answers": {"Which?": "b"}}'


async def test_a_restart_keeps_the_question_answerable(world: World) -> None:
    world.model.will_ask(WHICH)
    world.model.will_say("b it is.")
    await world.says("go")

    await world.restart()

    assert isinstance(await world.answers("b", by=BEN), Idle)
    assert await world.results() == [{"answers": {"Which?": "b"}, "answered_by": {"Which?": "Ben"}}]


async def test_a_paused_thread_leaves_nothing_running(world: World) -> None:
    world.model.will_ask(WHICH)

    await world.says("go")

    assert not [task for task in asyncio.all_tasks() if "agent" in str(task.get_coro().__qualname__)]
    assert world.threads._dispatch._tasks == {}
    world.model.will_say("ok")
    await world.answers("a")


async def test_two_asks_at_once_are_two_pauses_of_one_reply(world: World) -> None:
    world.model.will_call(("ask_user_question", WHICH), ("ask_user_question", WHERE))
    world.model.will_say("Done.")
    await world.says("go")
    which, where = (await world.threads.pending(THREAD)).asks

    await world.record(AnswersGiven(call_id=where.open.call_id, answers={0: "there"}))
    assert isinstance(await world.settled(), Waiting)
    await world.record(AskSkipped(call_id=which.open.call_id))
    await world.settled()

    skipped, answered = await world.results()
    assert "skipped" in skipped
    assert answered == {"answers": {"Where?": "there"}}


async def test_words_that_come_while_the_model_writes_are_taken_in_before_the_next_call(world: World) -> None:
    hold = asyncio.Event()
    world.model.will_pause("Working", hold, " on it.")
    world.model.will_say("Also that.")
    await world.record(MessageReceived(text="do this", author=ANN))
    await world.model.reached.wait()

    await world.record(MessageReceived(text="and that", author=BEN))
    hold.set()
    await world.settled()

    assert [m["content"] for m in world.model.requests[1]["messages"][1:]] == ["do this", "Working on it.", "and that"]
    assert [m["content"] for m in await world.transcript()] == ["do this", "Working on it.", "and that", "Also that."]


async def test_words_that_come_while_tools_run_stand_after_their_results(world: World) -> None:
    started, hold = asyncio.Event(), asyncio.Event()

    @world.toolbox.tool()
    async def dig() -> str:
        """Dig."""
        started.set()
        await hold.wait()
        return "a bone"

    world.model.will_call(("dig", {}))
    world.model.will_say("Found.")
    await world.record(MessageReceived(text="dig"))
    await started.wait()
    await world.record(MessageReceived(text="deeper"))
    hold.set()
    await world.settled()

    assert [m["content"] for m in world.model.requests[1]["messages"][3:]] == ["a bone", "deeper"]


async def test_a_stop_cancels_the_model_call_in_flight_and_the_next_words_work(world: World) -> None:
    world.model.will_hang()
    await world.record(MessageReceived(text="think hard"))
    await world.model.reached.wait()

    await world.record(StopRequested(by=ANN))

    assert isinstance(await world.settled(), Stopped)
    await world.model.hung_up.wait()
    world.model.will_say("Yes?")
    assert isinstance(await world.says("hello"), Idle)
    assert [m["content"] for m in await world.transcript()] == ["think hard", "(Stopped by Ann.)", "hello", "Yes?"]


async def test_a_stop_cancels_tools_at_work_and_says_that_their_outcome_is_unknown(world: World) -> None:
    started, cancelled = asyncio.Event(), asyncio.Event()

    @world.toolbox.tool()
    async def deploy() -> str:
        """Deploy."""
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        return ""

    world.model.will_call(("deploy", {}))
    await world.record(MessageReceived(text="deploy"))
    await started.wait()
    await world.record(StopRequested())

    assert isinstance(await world.settled(), Stopped)
    assert cancelled.is_set()
    assert await world.results() == [transitions.UNKNOWN_OUTCOME]


async def test_cancelling_an_ask_ends_the_run_and_the_conversation_stays_valid(world: World) -> None:
    world.model.will_ask(WHICH)
    await world.says("go")
    ask = (await world.threads.pending(THREAD)).asks[0]

    await world.record(AskCancelled(call_id=ask.open.call_id, by=BEN))

    assert await world.settled() == Stopped(seq=3, turn=1, replies=1, heard=1, cancelled=True)
    world.model.will_say("Fine.")
    await world.says("something else")


async def test_tools_of_one_reply_run_at_the_same_time(world: World) -> None:
    both = asyncio.Barrier(2)

    @world.toolbox.tool(repeatable=True)
    async def meet(name: str) -> str:
        """Comes back only once both are here."""
        await both.wait()
        return f"met {name}"

    world.model.will_call(("meet", {"name": "x"}), ("meet", {"name": "y"}))
    world.model.will_say("Both.")
    await world.says("go")

    assert await world.results() == ["met x", "met y"]
    assert world.seen.steps.count(("finished", "meet")) == 2


async def test_a_tool_runs_while_an_ask_of_the_same_reply_is_open(world: World) -> None:
    @world.toolbox.tool()
    def weigh() -> float:
        """Weigh."""
        return 1.5

    world.model.will_call(("ask_user_question", WHICH), ("weigh", {}))
    world.model.will_say("Done.")

    assert isinstance(await world.says("go"), Waiting)
    await world.answers("a")

    assert await world.results() == [{"answers": {"Which?": "a"}}, 1.5]


async def test_a_failing_tool_is_told_to_the_model_and_the_turn_goes_on(world: World) -> None:
    @world.toolbox.tool()
    def explode() -> str:
        """Explode."""
        raise ValueError("the fuse was wet")

    world.model.will_call(("explode", {}))
    world.model.will_say("It did not work.")

    assert isinstance(await world.says("boom"), Idle)
    assert await world.results() == ["Error: ValueError: the fuse was wet"]
    assert ("failed", "explode") in world.seen.steps


async def test_an_unknown_tool_and_malformed_arguments_are_told_to_the_model(world: World) -> None:
    @world.toolbox.tool()
    def add(left: int, right: int) -> int:
        """Add."""
        return left + right

    world.model.will_call(("subtract", {}), ("add", '{"left": 1,'), ("add", {"left": "x"}), ("add", "[1, 2]"))
    world.model.will_say("I give up.")
    await world.says("calculate")

    unknown, malformed, invalid, no_object = await world.results()
    assert unknown == (
        "Error: There is no tool called 'subtract'. There are: ask_user_question, confirm_action, add, spawn_agents."
    )
    assert malformed == no_object == "Error: The arguments were not a JSON object. Call again with valid JSON."
    assert "left: Input should be a valid integer" in invalid
    assert "right: Field required" in invalid


async def test_a_wrong_ask_never_reaches_people_and_the_model_tries_again(world: World) -> None:
    world.model.will_ask({"questions": [{"question": "Which?", "options": ["a"]}]})
    world.model.will_ask(WHICH)
    world.model.will_say("Thanks.")

    assert isinstance(await world.says("go"), Waiting)

    assert last_words(world.model.requests[1]) == (
        "Error: questions[0].options: 1 given, 2-4 allowed (leave options out for a free-text question)"
    )
    await world.answers("a")


async def test_a_tool_that_needs_approval_runs_only_after_it_and_with_exactly_these_arguments(world: World) -> None:
    ran: list[str] = []

    @world.toolbox.tool(approval=True)
    def drop(table: str) -> str:
        """Drop a table."""
        ran.append(table)
        return "dropped"

    world.model.will_call(("drop", {"table": "users"}))
    world.model.will_say("Gone.")
    assert isinstance(await world.says("clean up"), Waiting)
    [call] = (await world.threads.pending(THREAD)).approvals
    assert (call.name, json.loads(call.arguments)) == ("drop", {"table": "users"})
    assert ran == []

    await world.restart()
    await world.decides(True)

    assert ran == ["users"]
    assert await world.results() == ["dropped"]


async def test_a_denied_tool_does_not_run_and_the_model_learns_why(world: World) -> None:
    @world.toolbox.tool(approval=True)
    def drop(table: str) -> str:
        """Drop a table."""
        raise AssertionError("ran without approval")

    world.model.will_call(("drop", {"table": "users"}))
    world.model.will_say("I left it.")
    await world.says("clean up")

    await world.decides(False, reason="not on a Friday", by=BEN)

    assert await world.results() == [{"approved": False, "decided_by": "Ben", "reason": "not on a Friday"}]


async def test_wrong_arguments_of_a_tool_that_needs_approval_are_not_shown_to_people(world: World) -> None:
    @world.toolbox.tool(approval=True)
    def drop(table: str) -> str:
        """Drop a table."""
        raise AssertionError("ran without approval")

    world.model.will_call(("drop", {"tabel": "users"}))
    world.model.will_say("Sorry.")

    assert isinstance(await world.says("clean up"), Idle)


async def test_a_tool_that_is_approved_starts_while_another_is_still_at_work(world: World) -> None:
    slow_started, approved_ran = asyncio.Event(), asyncio.Event()

    @world.toolbox.tool()
    async def slow() -> str:
        """Ends only after the other ran."""
        slow_started.set()
        await approved_ran.wait()
        return "slow"

    @world.toolbox.tool(approval=True)
    async def risky() -> str:
        """Risky."""
        approved_ran.set()
        return "risky"

    world.model.will_call(("slow", {}), ("risky", {}))
    world.model.will_say("Done.")
    await world.record(MessageReceived(text="go"))
    await slow_started.wait()

    await world.decides(True)

    assert await world.results() == ["slow", "risky"]


async def test_an_action_is_confirmed_by_a_decision_that_is_recorded(world: World) -> None:
    world.model.will_call(("confirm_action", {"action": "Delete the branch"}))
    world.model.will_say("Deleted.")
    await world.says("delete it")

    await world.decides(True, by=BEN)

    assert await world.results() == [{"approved": True, "decided_by": "Ben"}]


async def test_sub_agents_work_side_by_side_and_their_results_are_gathered_in_order(world: World) -> None:
    both = asyncio.Barrier(2)

    @world.toolbox.tool(repeatable=True)
    async def meet() -> str:
        """Comes back only once two are here, so two must run at once."""
        await both.wait()
        return "met"

    def answer(body: dict[str, Any]) -> Any:
        system, *said = body["messages"]
        if system["content"] == prompts.SYSTEM:
            return (
                scripted_model.call(("spawn_agents", {"tasks": ["t1", "t2", "t3", "t4"]}))
                if len(said) == 1
                else scripted_model.say("All done.")
            )
        return scripted_model.call(("meet", {})) if len(said) == 1 else scripted_model.say(f"{said[0]['content']} done")

    world.model.answers_with(answer)
    await world.says("go")

    [gathered] = await world.results()
    assert gathered == [{"task": f"t{n}", "result": f"t{n} done"} for n in (1, 2, 3, 4)]


async def test_a_sub_agent_is_not_offered_what_needs_people_and_is_told_so_if_it_calls_it(world: World) -> None:
    @world.toolbox.tool(approval=True)
    def drop() -> str:
        """Drop."""
        raise AssertionError("ran without approval")

    world.model.will_call(("spawn_agents", {"tasks": ["t"]}))
    world.model.will_call(("ask_user_question", WHICH), ("drop", {}), ("spawn_agents", {"tasks": ["more"]}))
    world.model.will_say("Could not.")
    world.model.will_say("Done.")
    await world.says("go")

    _, asks, told, _ = world.model.requests
    assert "tools" not in asks  # here everything needs people
    refused = [m["content"] for m in told["messages"] if m["role"] == "tool"]
    assert refused[0].startswith("Error: Only the parent conversation can ask")
    assert "only the parent conversation can ask for it" in refused[1]
    assert "cannot start further agents" in refused[2]


async def test_a_sub_agent_has_a_step_limit_of_its_own(world: World) -> None:
    @world.toolbox.tool(repeatable=True)
    def look() -> str:
        """Look."""
        return "nothing yet"

    world.model.will_call(("spawn_agents", {"tasks": ["t"]}))
    for _ in range(3):
        world.model.will_call(("look", {}))
    world.model.will_say("Nothing found.")
    world.model.will_say("Done.")
    await world.says("go")

    assert await world.results() == [[{"task": "t", "result": "Nothing found."}]]
    assert world.model.requests[4]["tool_choice"] == "none"


async def test_a_failing_sub_agent_is_a_result_not_the_end(world: World) -> None:
    world.model.will_call(("spawn_agents", {"tasks": ["t"]}))
    world.model.will_fail(401, "invalid_api_key", "no")
    world.model.will_say("Done.")

    assert isinstance(await world.says("go"), Idle)
    [[result]] = await world.results()
    assert result["result"].startswith("The sub-agent failed: ")


async def test_a_stop_reaches_the_sub_agents(world: World) -> None:
    world.model.will_call(("spawn_agents", {"tasks": ["t"]}))
    world.model.will_hang()
    await world.record(MessageReceived(text="go"))
    await world.model.reached.wait()

    await world.record(StopRequested())

    assert isinstance(await world.settled(), Stopped)
    await world.model.hung_up.wait()
    await world.restart()
    assert len(world.model.requests) == 2


async def test_after_the_last_allowed_model_call_the_agent_finishes_with_what_it_has(world: World) -> None:
    world.limits = Limits(model_calls=3)

    @world.toolbox.tool(repeatable=True)
    def look() -> str:
        """Look."""
        return "nothing"

    world.model.will_call(("look", {}))
    world.model.will_call(("look", {}))
    world.model.will_call(("look", {}), text="So far: nothing.")
    state = await world.says("search")

    assert isinstance(state, Idle)
    assert [request.get("tool_choice") for request in world.model.requests] == [None, None, "none"]
    assert world.model.requests[2]["messages"][0]["content"].endswith(prompts.FINISH)
    assert (await world.transcript())[-1] == {"role": "assistant", "content": "So far: nothing."}


async def test_a_model_that_may_only_finish_and_says_nothing_does_not_leave_people_without_a_word(world: World) -> None:
    world.limits = Limits(model_calls=2)
    world.model.will_call(("nothing", {}))
    world.model.will_call(("nothing", {}))

    assert isinstance(await world.says("search"), Idle)
    assert (await world.transcript())[-1]["content"] == prompts.NOTHING_LEFT_TO_SAY


async def test_after_the_last_allowed_ask_further_asks_are_answered_with_an_error(world: World) -> None:
    world.limits = Limits(asks=1)
    world.model.will_ask(WHICH)
    world.model.will_ask(WHERE)
    world.model.will_say("I chose here.")
    await world.says("go")

    assert isinstance(await world.answers("a"), Idle)
    assert (await world.results())[1] == transitions.ASKED_ENOUGH


async def test_a_model_that_fails_is_said_in_plain_words_and_the_thread_stays_usable(world: World) -> None:
    world.model.will_fail(401, "invalid_api_key", "Incorrect API key provided: sk-secret")

    state = await world.says("hi")

    assert isinstance(state, Failed)
    assert "OPENAI_API_KEY" in state.shown
    assert "sk-secret" not in state.shown
    world.model.will_say("Hello.")
    assert isinstance(await world.says("again"), Idle)


async def test_a_reply_that_is_cut_at_the_length_limit_is_continued(world: World) -> None:
    world.model.will_be_cut("One, two,")
    world.model.will_say(" three.")

    assert isinstance(await world.says("count"), Idle)
    assert last_words(world.model.requests[1]) == transitions.CUT_OFF


async def test_a_refusal_is_the_reply(world: World) -> None:
    world.model.will_refuse("I will not help with that.")

    assert isinstance(await world.says("evil"), Idle)
    assert (await world.transcript())[-1]["content"] == "I will not help with that."


async def test_a_reply_that_was_filtered_is_a_failure_in_words(world: World) -> None:
    world.model.will_be_filtered()

    state = await world.says("borderline")

    assert isinstance(state, Failed)
    assert "filter" in state.shown


async def test_a_bug_of_ours_is_told_with_an_incident_id_and_the_thread_stays_usable(world: World) -> None:
    world.model.will_say("fine")
    await world.start()
    broken = world.threads._thinker.toolbox

    def explode() -> None:
        raise RuntimeError("bug")

    broken.to_api = explode  # type: ignore[assignment, method-assign]
    state = await world.says("hi")

    assert isinstance(state, Failed)
    assert "incident" in state.shown
    assert "bug" not in state.shown
    del broken.to_api
    assert isinstance(await world.says("again"), Idle)


async def test_a_tool_that_was_cut_off_is_not_run_again_and_the_model_is_told(world: World) -> None:
    runs: list[str] = []
    started = asyncio.Event()

    @world.toolbox.tool()
    async def deploy() -> str:
        """Deploy."""
        runs.append("deploy")
        started.set()
        await asyncio.Event().wait()
        return ""

    world.model.will_call(("deploy", {}))
    world.model.will_say("I do not know whether it went out.")
    await world.record(MessageReceived(text="deploy"))
    await started.wait()

    await world.restart()

    assert isinstance(await world.settled(), Idle)
    assert runs == ["deploy"]
    assert await world.results() == [turn.CUT_OFF]


async def test_a_repeatable_tool_that_was_cut_off_runs_again(world: World) -> None:
    runs: list[str] = []
    started = asyncio.Event()

    @world.toolbox.tool(repeatable=True)
    async def look() -> str:
        """Look."""
        runs.append("look")
        if len(runs) == 1:
            started.set()
            await asyncio.Event().wait()
        return "seen"

    world.model.will_call(("look", {}))
    world.model.will_say("Seen.")
    await world.record(MessageReceived(text="look"))
    await started.wait()

    await world.restart()

    assert isinstance(await world.settled(), Idle)
    assert await world.results() == ["seen"]


async def test_a_reply_that_was_cut_off_is_asked_for_again_after_a_restart(world: World) -> None:
    world.model.will_hang()
    await world.record(MessageReceived(text="go"))
    await world.model.reached.wait()
    assert isinstance(await world.store.state(THREAD), Thinking)

    world.model.will_say("Here.")
    await world.restart()

    assert isinstance(await world.settled(), Idle)
    assert len(world.model.requests) == 2


async def test_when_the_context_nears_its_limit_older_parts_are_summarised_and_the_journal_keeps_all(
    world: World,
) -> None:
    world.context_tokens = 2_000
    long = "x" * 3_000
    for _ in range(2):
        world.model.will_say("ok")
        await world.says(long)
    world.model.will_say("NOTES 1")  # on the first part of what is summarised
    world.model.will_say("NOTES 2")  # on those, and on the rest
    world.model.will_say("Short.")

    assert isinstance(await world.says(long), Idle)

    first, second, after = world.model.requests[2:]
    assert first["messages"][0]["content"] == second["messages"][0]["content"] == prompts.SUMMARISE
    assert "tools" not in first
    assert last_words(second).startswith(f"{prompts.EARLIER_NOTES}\nNOTES 1\n")
    assert [m["content"] for m in after["messages"][1:]] == [f"{prompts.SUMMARY_HEADING}\nNOTES 2", long]
    events = await world.store.events(THREAD)
    assert [getattr(event, "text", None) for event in events[:4]] == [long, "ok", long, "ok"]
    assert fold(events) == await world.store.state(THREAD)


async def test_a_summary_is_summarised_in_its_turn(world: World) -> None:
    world.context_tokens = 2_000
    long = "x" * 3_400
    for text in ("ok", "ok", "NOTES 1", "NOTES 2", "ok", "NOTES 3", "ok"):
        world.model.will_say(text)
    for _ in range(4):
        await world.says(long)

    second_summary, last = world.model.requests[5:]
    assert "NOTES 2" in last_words(second_summary)
    assert [m["content"] for m in last["messages"][1:]] == [f"{prompts.SUMMARY_HEADING}\nNOTES 3", long]


async def test_a_server_that_finds_the_conversation_too_long_gets_a_summary_instead(world: World) -> None:
    world.model.will_say("one")
    await world.says("first")
    world.model.will_fail(400, "context_length_exceeded", "too long")
    world.model.will_say("NOTES")
    world.model.will_say("two")

    assert isinstance(await world.says("second"), Idle)
    assert [m["content"] for m in world.model.requests[3]["messages"][1:]] == [
        f"{prompts.SUMMARY_HEADING}\nNOTES",
        "second",
    ]


async def test_a_single_message_that_is_too_long_fails_in_words(world: World) -> None:
    world.model.will_fail(400, "context_length_exceeded", "too long")

    state = await world.says("x" * 10_000)

    assert isinstance(state, Failed)
    assert "longer than the model can read" in state.shown


async def test_call_ids_that_a_server_repeats_do_not_confuse_two_replies(world: World) -> None:
    @world.toolbox.tool(repeatable=True)
    def look(at: str) -> str:
        """Look."""
        return at

    world.model.will_call(("look", {"at": "x"}))
    world.model.will_call(("look", {"at": "y"}))
    world.model.will_say("Both.")
    await world.says("look")

    calls = [call["id"] for m in await world.transcript() for call in m.get("tool_calls", ())]
    assert calls == ["000001000", "000002000"]
    assert await world.results() == ["x", "y"]


async def test_a_toolbox_is_not_changed_by_the_agent_that_uses_it(world: World) -> None:
    world.toolbox = Toolbox()
    await world.start()
    await world.restart()

    assert world.toolbox.tools == ()


async def test_a_thread_with_a_tool_at_work_is_running_tools(world: World) -> None:
    started, hold = asyncio.Event(), asyncio.Event()

    @world.toolbox.tool(repeatable=True)
    async def dig() -> str:
        """Dig."""
        started.set()
        await hold.wait()
        return "a bone"

    world.model.will_call(("dig", {}))
    world.model.will_say("Found.")
    await world.record(MessageReceived(text="dig"))
    await started.wait()

    assert isinstance(await world.store.state(THREAD), RunningTools)
    hold.set()
    await world.settled()


async def test_approval_cannot_be_slipped_past_by_arguments_that_become_valid_later(
    world: World, tmp_path: Path
) -> None:
    plan = tmp_path / "plan"

    @world.toolbox.tool()
    def write() -> str:
        """Make the other call's arguments valid."""
        plan.touch()
        return "written"

    @world.toolbox.tool(approval=True)
    def deploy(file: FilePath) -> str:
        """Deploy."""
        raise AssertionError("ran without approval")

    world.model.will_call(("write", {}), ("deploy", {"file": str(plan)}))
    world.model.will_call(("deploy", {"file": str(plan)}))

    assert isinstance(await world.says("go"), Waiting)


async def test_a_call_that_was_cut_off_before_its_arguments_does_not_run_with_defaults(world: World) -> None:
    @world.toolbox.tool()
    def remove(path: str = "everything") -> str:
        """Remove."""
        raise AssertionError(f"removed {path}")

    start = {"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "remove"}}]}}
    end = {"index": 0, "delta": {}, "finish_reason": "length"}
    lines = [f"data: {json.dumps({'choices': [choice]})}" for choice in (start, end)]
    world.model.will_send_lines(*lines, "data: [DONE]")
    world.model.will_say("Sorry.")

    assert isinstance(await world.says("clean up"), Idle)
    assert await world.results() == ["Error: The arguments were not a JSON object. Call again with valid JSON."]


async def test_an_endless_result_is_cut_and_says_so(world: World) -> None:
    @world.toolbox.tool()
    def dump() -> str:
        """Dump."""
        return "x" * 250_000

    world.model.will_call(("dump", {}))
    world.model.will_say("Long.")
    await world.says("dump")

    [result] = await world.results()
    assert len(result) < 101_000
    assert result.endswith("(cut off: 250000 characters in all)")


async def test_large_results_of_one_reply_leave_room_in_the_context_together(world: World) -> None:
    world.context_tokens = 4_000

    @world.toolbox.tool()
    def dump() -> str:
        """Dump."""
        return "x" * 250_000

    world.model.will_call(*[("dump", {})] * 4)
    world.model.will_say("Long.")

    assert isinstance(await world.says("dump"), Idle)
    assert len(json.dumps(world.model.requests[1]["messages"][1:])) < 16_000 * 0.6


async def test_whoever_gives_up_waiting_for_a_record_does_not_leave_the_thread_asleep(world: World) -> None:
    world.model.will_say("Awake.")
    await world.start()

    recording = asyncio.create_task(world.record(MessageReceived(text="go")))
    await asyncio.sleep(0)
    recording.cancel()
    await asyncio.wait({recording})
    await asyncio.gather(*world.threads._recording)

    assert isinstance(await world.settled(), Idle)


async def test_a_tool_whose_own_wait_was_called_off_is_a_failing_tool(world: World) -> None:
    @world.toolbox.tool()
    async def join() -> str:
        """Wait for something that somebody else cancels."""
        other = asyncio.get_running_loop().create_future()
        other.cancel()
        await other
        return ""

    world.model.will_call(("join", {}))
    world.model.will_say("It was called off.")

    assert isinstance(await world.says("go"), Idle)
    assert await world.results() == ["Error: Something this tool was waiting for was called off."]


async def test_a_stop_does_not_wait_for_a_tool_that_is_slow_to_clean_up(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn, "_CLEAN_UP_SECONDS", 0)
    started, cleaned = asyncio.Event(), asyncio.Event()

    @world.toolbox.tool()
    async def slow() -> str:
        """Slow to clean up."""
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            await cleaned.wait()
        return ""

    world.model.will_call(("slow", {}))
    await world.record(MessageReceived(text="go"))
    await started.wait()
    await world.record(StopRequested())

    assert isinstance(await world.settled(), Stopped)
    cleaned.set()


async def test_what_waits_when_the_run_fails_is_not_said_to_be_declined(world: World) -> None:
    world.model.will_ask(WHICH)
    await world.says("go")

    await world.record(TurnFailed(turn=1, shown="The model is away."))

    assert await world.results() == [{"failed": asks.FAILED}]


async def test_a_text_with_few_bytes_to_a_token_is_summarised_in_smaller_parts(world: World) -> None:
    world.context_tokens = 4_000
    world.model.will_say("ok")
    await world.says("7" * 12_000)

    def answer(body: dict[str, Any]) -> Any:
        if len(str(body["messages"][1:])) > 5_000:
            return scripted_model.fail(400, "context_length_exceeded", "too long")
        return scripted_model.say("NOTES")

    world.model.answers_with(answer)

    assert isinstance(await world.says("and now?"), Idle)


async def test_a_start_that_is_closed_at_once_leaves_nothing_behind(world: World) -> None:
    world.model.answers_with(lambda _body: scripted_model.say("Hello."))
    await world.record(MessageReceived(text="go"))
    await world.threads.close()

    assert isinstance(await world.settled(), Thinking)


async def test_a_turn_that_cannot_write_down_its_failure_tries_until_it_can(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        broken.clear()

    await world.start()
    broken, append = [True], world.store.append

    async def fragile(key: ThreadKey, event: Event, received: str = "") -> Recorded | Refused:
        if broken and isinstance(event, ModelReplied | TurnFailed):
            raise RuntimeError("worse than being away")
        return await append(key, event, received)

    monkeypatch.setattr(world.store, "append", fragile)
    monkeypatch.setattr(turn.asyncio, "sleep", sleep)
    world.model.will_say("never recorded")

    assert isinstance(await world.says("go"), Failed)
    assert waits == [1]


async def test_an_image_reaches_the_model_and_counts_little_of_the_context(world: World) -> None:
    world.context_tokens = 8_000
    image = "data:image/png;base64," + "A" * 400_000
    world.model.will_say("A cat.")
    await world.record(MessageReceived(text="what is this?", images=(image,)))
    assert isinstance(await world.settled(), Idle)
    world.model.will_say("Yes.")
    await world.says("sure?")

    parts = world.model.requests[1]["messages"][1]["content"]
    assert parts == [{"type": "text", "text": "what is this?"}, {"type": "image_url", "image_url": {"url": image}}]
    events = await world.store.events(THREAD)
    assert isinstance(events[0], MessageReceived)
    assert events[0].images == (image,)
    assert fold(events) == await world.store.state(THREAD)


async def test_what_was_said_before_the_agent_came_is_told_apart_from_what_it_is_asked(world: World) -> None:
    world.model.will_say("Ben is right.")
    await world.record(MessageReceived(text="who is right?", author=ANN, context="Ben: it is 4\nAnn: it is 5"))
    await world.settled()

    before, asked = world.model.requests[0]["messages"][1:]
    assert before["content"] == f"{transitions.CONTEXT}\nBen: it is 4\nAnn: it is 5"
    assert asked == {"role": "user", "content": "who is right?", "name": "Ann"}
