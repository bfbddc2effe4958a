"""The model adapter against a scripted server: what it sends, what it makes of answers, when it tries again."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI
from structlog.testing import capture_logs

from agent.core.errors import ContextTooLong, ModelError
from agent.model.openai import OpenAIModel
from agent.ports import RawCall, Reply
from tests.support.conversation import faults
from tests.support.scripted_model import Drop, Hold, ScriptedModel, Step, break_after, hang, say

KEY = "sk-secret-of-the-team"
HI = {"role": "user", "content": "hello"}
HELLO = [json.dumps(HI)]
TOOL = {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}


class Time:
    """A clock that only moves when someone sleeps, or is told to."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.sleeps: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds


class Heard:
    """A stream that keeps what it gets; a restart is a None."""

    def __init__(self) -> None:
        self.deltas: list[str | None] = []
        self.so_far = ""
        self.something = asyncio.Event()

    def text(self, delta: str, so_far: str) -> None:
        self.deltas.append(delta)
        self.so_far = so_far
        self.something.set()

    def restarted(self) -> None:
        self.deltas.append(None)


@pytest.fixture
async def server() -> AsyncIterator[ScriptedModel]:
    async with ScriptedModel() as server:
        yield server


@pytest.fixture
def time() -> Time:
    return Time()


Connect = Callable[..., OpenAIModel]


@pytest.fixture
async def connect(server: ScriptedModel, time: Time) -> AsyncIterator[Connect]:
    models: list[OpenAIModel] = []

    def connect(**changes: Any) -> OpenAIModel:
        settings = {"api_key": KEY, "model": "gpt-test", "base_url": server.base_url}
        models.append(OpenAIModel(**{**settings, "sleep": time.sleep, "clock": time.clock, **changes}))
        return models[-1]

    yield connect
    for model in models:
        await model.close()


@pytest.fixture
def model(connect: Connect) -> OpenAIModel:
    return connect()


def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
    return f"data: {json.dumps({'choices': [{'index': 0, 'delta': delta, 'finish_reason': finish}]})}"


def fragments(*calls: dict[str, Any]) -> list[str]:
    return [chunk({"tool_calls": [call]}) for call in calls] + [chunk({}, "tool_calls"), "data: [DONE]"]


async def failure(asked: Awaitable[Reply]) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await asked
    return caught.value


async def test_the_request_carries_the_conversation_the_tools_and_the_model(
    server: ScriptedModel, model: OpenAIModel
) -> None:
    server.will_say("hi")

    await model.reply(HELLO, [TOOL])

    usage = {"stream_options": {"include_usage": True}}
    assert server.requests == [{"model": "gpt-test", "stream": True, "messages": [HI], "tools": [TOOL], **usage}]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


async def test_without_tools_none_are_mentioned(server: ScriptedModel, model: OpenAIModel) -> None:
    server.will_say("hi")

    await model.reply(HELLO, may_call=False)

    assert server.requests[0].keys() == {"model", "stream", "stream_options", "messages"}


async def test_a_model_that_may_not_call_still_sees_the_tools(server: ScriptedModel, model: OpenAIModel) -> None:
    server.will_say("hi")

    await model.reply(HELLO, [TOOL], may_call=False)

    assert server.requests[0]["tools"] == [TOOL]
    assert server.requests[0]["tool_choice"] == "none"


async def test_the_addresses_in_the_environment_are_not_used(
    server: ScriptedModel, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/elsewhere")

    assert str(connect(base_url=None)._client.base_url) == "https://api.openai.com/v1/"


async def calls_into_the_sdk(ask: Callable[[], Awaitable[Any]]) -> int:
    home, count = os.path.dirname(openai.__file__), 0

    def profile(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event == "call" and frame.f_code.co_filename.startswith(home)

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        await ask()
    finally:
        sys.setprofile(before)
    return count


async def test_the_sdk_does_not_walk_the_messages(server: ScriptedModel, model: OpenAIModel) -> None:
    server.answers_with(lambda body: say("hi"))
    sdk = AsyncOpenAI(api_key=KEY, base_url=server.base_url, max_retries=0)

    async def typed(messages: list[Any]) -> None:
        async with sdk.chat.completions.with_streaming_response.create(
            model="gpt-test", messages=[json.loads(each) for each in messages], stream=True
        ) as response:
            await response.read()

    async def growth(ask: Callable[[list[Any]], Awaitable[Any]]) -> int:
        await ask(HELLO)  # The first request also imports, and looks at the platform.
        short = await calls_into_the_sdk(lambda: ask(HELLO))
        return await calls_into_the_sdk(lambda: ask(HELLO * 400)) - short

    assert await growth(model.reply) < 100
    assert await growth(typed) > 400, "the measure no longer sees what the SDK does with messages"
    assert len(server.requests[2]["messages"]) == 400
    await sdk.close()


async def test_the_connection_is_used_again(server: ScriptedModel, model: OpenAIModel) -> None:
    end = asyncio.Event()
    server.will(Step((*say("hi").frames, Hold(end))))
    server.will_say("again")

    asked = asyncio.create_task(model.reply(HELLO))
    await server.reached.wait()
    end.set()  # Only now the body of the first answer ends, after its [DONE].
    await asked
    await model.reply(HELLO)

    assert server.connections == 1


async def test_text_is_handed_on_as_it_is_written(server: ScriptedModel, model: OpenAIModel) -> None:
    go_on, heard = asyncio.Event(), Heard()
    server.will_pause("Let me", go_on, " see.")

    asked = asyncio.create_task(model.reply(HELLO, stream=heard))
    await heard.something.wait()
    assert (heard.deltas, heard.so_far) == (["Let me"], "Let me")
    go_on.set()

    assert await asked == Reply("Let me see.")
    assert (heard.deltas, heard.so_far) == (["Let me", " see."], "Let me see.")


async def test_nobody_needs_to_watch(server: ScriptedModel, model: OpenAIModel) -> None:
    server.will_break_after("half")
    server.will_say("whole")

    assert await model.reply(HELLO) == Reply("whole")


async def test_a_reply_at_the_length_limit_is_marked_as_cut(server: ScriptedModel, model: OpenAIModel) -> None:
    server.will_be_cut("once upon a")

    assert await model.reply(HELLO) == Reply("once upon a", cut=True)


async def test_a_limit_reached_before_the_first_word_is_not_tried_again(
    server: ScriptedModel, model: OpenAIModel
) -> None:
    server.will_be_cut("")

    assert "no room left" in (await failure(model.reply(HELLO))).shown


async def test_a_refusal_is_the_text(server: ScriptedModel, model: OpenAIModel) -> None:
    heard = Heard()
    server.will_refuse("I cannot help with that.")

    assert await model.reply(HELLO, stream=heard) == Reply("I cannot help with that.")
    assert "".join(filter(None, heard.deltas)) == "I cannot help with that."


async def test_halves_of_surrogate_pairs_are_replaced(server: ScriptedModel, model: OpenAIModel) -> None:
    heard = Heard()
    server.will_send_lines(chunk({"content": "odd \ud83d end"}, "stop"), "data: [DONE]")

    assert (await model.reply(HELLO, stream=heard)).text == "odd ? end"
    assert heard.deltas == ["odd ? end"]


async def test_line_separators_inside_the_text_do_not_break_it(server: ScriptedModel, model: OpenAIModel) -> None:
    text = "a\u2028b\u2029c\x85d ü"
    choice = {"delta": {"content": text}, "finish_reason": "stop"}
    server.will_send_lines(f"data: {json.dumps({'choices': [choice]}, ensure_ascii=False)}", "data: [DONE]")

    assert (await model.reply(HELLO)).text == text


async def test_calls_are_put_together_from_their_fragments(server: ScriptedModel, model: OpenAIModel) -> None:
    arguments = [{"query": "weather in Bergen", "days": 3}, {}]
    server.will_call(("look_up", arguments[0]), ("list-all", arguments[1]), text="I will look.")

    reply = await model.reply(HELLO, [TOOL])

    assert reply.text == "I will look."
    assert [call.name for call in reply.calls] == ["look_up", "list-all"]
    assert [json.loads(call.arguments) for call in reply.calls] == arguments


async def test_an_ask_arrives_as_a_call(server: ScriptedModel, model: OpenAIModel) -> None:
    questions = {"questions": [{"question": "Where?", "options": [{"label": "A"}, {"label": "B"}]}]}
    server.will_ask(questions)

    assert await model.reply(HELLO) == Reply(calls=(RawCall("ask_user_question", json.dumps(questions)),))


async def test_arguments_that_are_not_json_are_passed_on_as_they_are(server: ScriptedModel, model: OpenAIModel) -> None:
    server.will_call(("look_up", '{"query": '))

    assert (await model.reply(HELLO)).calls == (RawCall("look_up", '{"query": '),)


ODD_FRAGMENTS = {
    "out of order": [
        {"index": 1, "id": "b", "function": {"name": "two", "arguments": "{}"}},
        {"index": 0, "id": "a", "function": {"name": "one", "arguments": "{}"}},
    ],
    "id and name repeated": [
        {"index": 0, "id": "a", "function": {"name": "one", "arguments": "{"}},
        {"index": 0, "id": "a", "function": {"name": "one", "arguments": "}"}},
        {"index": 1, "id": "b", "function": {"name": "two", "arguments": "{"}},
        {"index": 1, "id": "b", "function": {"name": "two", "arguments": "}"}},
    ],
    "no index": [
        {"id": "a", "function": {"name": "one", "arguments": "{"}},
        {"function": {"arguments": "}"}},
        {"id": "b", "function": {"name": "two", "arguments": "{}"}},
    ],
    "no index and no id": [
        {"function": {"name": "one", "arguments": "{"}},
        {"function": {"arguments": "}"}},
        {"function": {"name": "two", "arguments": "{}"}},
    ],
    "no index, id and name repeated": [
        {"id": "a", "function": {"name": "one", "arguments": "{"}},
        {"id": "a", "function": {"name": "one", "arguments": "}"}},
        {"id": "b", "function": {"name": "two", "arguments": "{}"}},
    ],
    "every index 0": [
        {"index": 0, "id": "a", "function": {"name": "one", "arguments": "{}"}},
        {"index": 0, "id": "b", "function": {"name": "two", "arguments": "{}"}},
    ],
    "a new id in every fragment": [
        {"index": 0, "id": "a", "function": {"name": "one", "arguments": "{"}},
        {"index": 0, "id": "x", "function": {"name": None, "arguments": "}"}},
        {"index": 1, "id": "b", "function": {"name": "two", "arguments": "{}"}},
    ],
    "nulls and objects": [
        {"index": 0, "id": None, "function": {"name": "one", "arguments": None}},
        {"index": 0, "id": None, "function": {"name": None, "arguments": "{}"}},
        {"index": 1, "id": None, "function": {"name": "two", "arguments": {}}},
    ],
}


@pytest.mark.parametrize("calls", ODD_FRAGMENTS.values(), ids=ODD_FRAGMENTS.keys())
async def test_odd_fragments_make_the_calls_that_were_meant(
    server: ScriptedModel, model: OpenAIModel, calls: list[dict[str, Any]]
) -> None:
    server.will_send_lines(*fragments(*calls))

    assert (await model.reply(HELLO)).calls == (RawCall("one", "{}"), RawCall("two", "{}"))


async def test_a_finish_reason_without_done_is_an_end(server: ScriptedModel, model: OpenAIModel) -> None:
    server.will_send_lines(chunk({"content": "hi"}), chunk({}, "stop"))

    assert await model.reply(HELLO) == Reply("hi")


async def test_done_without_a_finish_reason_is_an_end(server: ScriptedModel, model: OpenAIModel) -> None:
    server.will_send_lines(chunk({"content": "hi"}), "data:[DONE]")

    assert await model.reply(HELLO) == Reply("hi")


async def test_a_connection_that_drops_after_the_finish_reason_has_lost_nothing(
    server: ScriptedModel, model: OpenAIModel
) -> None:
    server.will(Step((*say("hi").frames[:-1], Drop())))

    assert await model.reply(HELLO) == Reply("hi")


async def test_silence_after_the_finish_reason_has_lost_nothing(
    server: ScriptedModel, connect: Connect, time: Time
) -> None:
    server.will(Step((*say("hi").frames[:-1], Hold(asyncio.Event()))))

    assert await connect(timeout_seconds=0.05).reply(HELLO) == Reply("hi")
    assert time.sleeps == []


async def test_a_connection_left_open_after_done_is_not_waited_for(server: ScriptedModel, model: OpenAIModel) -> None:
    server.will(Step((*say("hi").frames, Hold(asyncio.Event()))))

    assert await model.reply(HELLO) == Reply("hi")
    await server.hung_up.wait()


async def test_comments_other_fields_and_carriage_returns_are_skipped(
    server: ScriptedModel, model: OpenAIModel
) -> None:
    usage = 'data: {"choices": [], "usage": {"total_tokens": 2}}'
    server.will_send_lines(
        ": ping\r", "event: chunk\r\nid: 1\r", chunk({"content": "hi"}, "stop") + "\r", usage, "data: [DONE]\r"
    )

    assert await model.reply(HELLO) == Reply("hi")


async def test_a_server_that_ignores_stream_gives_its_reply_whole(server: ScriptedModel, model: OpenAIModel) -> None:
    heard = Heard()
    call = {"id": "a", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    message = {"role": "assistant", "content": "I will look.", "tool_calls": [call, call | {"id": "b"}]}
    body = {"object": "chat.completion", "choices": [{"message": message, "finish_reason": "tool_calls"}]}
    server.will_send_body("\n" + json.dumps(body, indent=2))

    reply = await model.reply(HELLO, stream=heard)

    assert reply == Reply("I will look.", (RawCall("look_up", "{}"), RawCall("look_up", "{}")))
    assert heard.deltas == ["I will look."]


BROKEN = {
    "nothing": [],
    "no choices": ['data: {"choices": []}', 'data: {"choices": null}', "data: [DONE]"],
    "no end": [chunk({"content": "half"})],
    "no text and no calls": [chunk({"role": "assistant", "content": None}), chunk({}, "stop"), "data: [DONE]"],
    "only space": [chunk({"content": "\n "}, "stop"), "data: [DONE]"],
    "not JSON": [chunk({"content": "half"}), "data: <html>", "data: [DONE]"],
    "not an object": ["data: 5", "data: [DONE]"],
    "not a delta": [chunk({"content": 5}, "stop"), "data: [DONE]"],
    "an error": [chunk({"content": "half"}), 'data: {"error": {"message": "overloaded"}}', "data: [DONE]"],
    "an error as a reason": [chunk({"content": "half"}), chunk({}, "error"), "data: [DONE]"],
    "a call without a name": fragments({"index": 0, "id": "a", "function": {"arguments": "{}"}}),
}


@pytest.mark.parametrize("lines", BROKEN.values(), ids=BROKEN.keys())
async def test_a_broken_stream_is_asked_for_again(
    server: ScriptedModel, model: OpenAIModel, time: Time, lines: list[str]
) -> None:
    server.will_send_lines(*lines)
    server.will_say("whole")

    assert await model.reply(HELLO) == Reply("whole")
    assert len(time.sleeps) == 1
    assert server.requests[0] == server.requests[1]


async def test_what_was_heard_of_a_broken_stream_is_taken_back(server: ScriptedModel, model: OpenAIModel) -> None:
    heard = Heard()
    server.will_break_after("hal")
    server.will_send_nothing()
    server.will_say("whole", pieces=1)

    assert await model.reply(HELLO, stream=heard) == Reply("whole")
    assert (heard.deltas, heard.so_far) == (["h", "a", "l", None, "whole"], "whole")


async def test_a_silent_server_is_asked_again(server: ScriptedModel, connect: Connect, time: Time) -> None:
    server.will_hang()
    server.will_pause("half", asyncio.Event())
    server.will_say("whole")

    assert await connect(timeout_seconds=0.05).reply(HELLO) == Reply("whole")
    assert len(time.sleeps) == 2


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
async def test_a_failure_that_may_pass_is_tried_again(
    server: ScriptedModel, model: OpenAIModel, time: Time, status: int
) -> None:
    server.will_fail(status)
    server.will_say("hi")

    assert await model.reply(HELLO) == Reply("hi")
    assert len(time.sleeps) == 1


async def test_the_waits_double_and_the_fifth_failure_is_the_last(
    server: ScriptedModel, model: OpenAIModel, time: Time
) -> None:
    for _ in range(5):
        server.will_fail(503)

    assert "having trouble" in (await failure(model.reply(HELLO))).shown
    assert len(time.sleeps) == 4
    for slept, longest in zip(time.sleeps, [0.5, 1, 2, 4], strict=True):
        assert longest / 2 <= slept <= longest


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": "1.5"}, 1.5),
        ({"Retry-After-Ms": "250", "Retry-After": "1"}, 0.25),
        ({"Date": "Tue, 01 Jul 2025 10:00:00 GMT", "Retry-After": "Tue, 01 Jul 2025 10:00:12 GMT"}, 12),
    ],
)
async def test_a_rate_limit_is_retried_after_the_time_the_server_names(
    server: ScriptedModel, model: OpenAIModel, time: Time, headers: dict[str, str], seconds: float
) -> None:
    server.will_fail(429, code="rate_limit_exceeded", headers=headers)
    server.will_say("hi")

    assert await model.reply(HELLO) == Reply("hi")
    assert time.sleeps == [seconds]


@pytest.mark.parametrize("named", ["soon", "-3", "0", "nan", "Tue, 01 Jul 2025 10:00:00 GMT"])
async def test_a_time_that_makes_no_sense_is_not_honoured(
    server: ScriptedModel, model: OpenAIModel, time: Time, named: str
) -> None:
    server.will_fail(429, headers={"Retry-After": named})
    server.will_say("hi")

    await model.reply(HELLO)

    assert 0.25 <= time.sleeps[0] <= 0.5


async def test_a_wait_beyond_all_patience_is_not_begun(server: ScriptedModel, model: OpenAIModel, time: Time) -> None:
    server.will_fail(429, headers={"Retry-After": "20"})
    server.will_fail(429, headers={"Retry-After": "26"})

    assert "too many requests" in (await failure(model.reply(HELLO))).shown
    assert time.sleeps == [20]


async def test_a_late_attempt_gets_less_time_so_that_people_are_told_within_a_minute(
    server: ScriptedModel, model: OpenAIModel
) -> None:
    server.will_fail(429, headers={"Retry-After": "40"})
    server.will_say("hi")

    await model.reply(HELLO)

    limits = [float(headers["X-Stainless-Read-Timeout"]) for headers in server.headers]
    assert limits == [45, 20]


async def test_a_model_that_may_be_silent_for_long_gets_that_time(
    server: ScriptedModel, connect: Connect, time: Time
) -> None:
    server.will_fail(429, headers={"Retry-After": "60"})
    server.will_say("hi")

    await connect(timeout_seconds=300).reply(HELLO)

    limits = [float(headers["X-Stainless-Read-Timeout"]) for headers in server.headers]
    assert limits == [300, 255]


async def test_an_account_without_credit_is_not_asked_again(server: ScriptedModel, model: OpenAIModel) -> None:
    server.will_fail(429, code="insufficient_quota")

    assert "no credit left" in (await failure(model.reply(HELLO))).shown


async def test_filtered_content_is_not_asked_for_again(server: ScriptedModel, model: OpenAIModel) -> None:
    server.will_be_filtered("some")

    assert "content filter" in (await failure(model.reply(HELLO))).shown


@pytest.mark.parametrize(
    ("status", "code", "message"),
    [
        (400, "context_length_exceeded", "Too big."),
        (400, None, "This model's maximum context length is 8192 tokens."),
        (400, "400", "The prompt does not fit the context window of this model."),
        (422, None, "Too many tokens: 9000 given."),
        (400, None, "the request exceeds the available context size"),
    ],
)
async def test_a_conversation_that_is_too_long_is_told_apart(
    server: ScriptedModel, model: OpenAIModel, status: int, code: str | None, message: str
) -> None:
    server.will_fail(status, code=code, message=message)

    assert isinstance(await failure(model.reply(HELLO)), ContextTooLong)


async def test_a_conversation_may_turn_out_too_long_inside_the_stream(
    server: ScriptedModel, model: OpenAIModel
) -> None:
    server.will_send_lines('data: {"error": {"code": "context_length_exceeded", "message": "Too big."}}')

    assert isinstance(await failure(model.reply(HELLO)), ContextTooLong)


@pytest.mark.parametrize(
    ("status", "named"),
    [
        (401, ["OPENAI_API_KEY"]),
        (403, ["OPENAI_API_KEY"]),
        (404, ["gpt-test", "OPENAI_MODEL", "OPENAI_BASE_URL"]),
    ],
)
async def test_a_wrong_setting_is_named(
    server: ScriptedModel, model: OpenAIModel, status: int, named: list[str]
) -> None:
    server.will_fail(status, message=f"Incorrect API key provided: {KEY}")

    shown = (await failure(model.reply(HELLO))).shown

    assert all(name in shown for name in named)
    assert KEY not in shown


async def test_another_refusal_is_told_in_the_servers_words_short_and_without_the_key(
    server: ScriptedModel, model: OpenAIModel
) -> None:
    server.will_fail(400, message=f"Invalid\nschema for {KEY}: " + "x" * 500)

    shown = (await failure(model.reply(HELLO))).shown

    said = shown.removeprefix("The model's server did not accept the request: ")
    assert said.startswith("Invalid schema for ***: xxx")
    assert len(said) == 200


@pytest.mark.parametrize("body", ["<html>Bad gateway</html>", '{"detail": []}', '["no"]', '{"error": "no"}'])
async def test_a_refusal_without_a_message_is_told_by_its_number(
    server: ScriptedModel, model: OpenAIModel, body: str
) -> None:
    server.will_send_body(body, status=422)

    assert (await failure(model.reply(HELLO))).shown.endswith("did not accept the request: HTTP 422")


async def test_a_server_that_cannot_be_reached_is_told(connect: Connect, time: Time) -> None:
    async with ScriptedModel() as gone:
        pass

    error = await failure(connect(base_url=gone.base_url).reply(HELLO))

    assert "cannot be reached" in error.shown
    assert len(time.sleeps) == 4


@pytest.mark.parametrize(
    ("step", "told"),
    [
        pytest.param(break_after("half"), "broke off", id="dropped"),
        pytest.param(Step(), "broke off", id="nothing"),
        pytest.param(say(""), "empty answer", id="empty"),
        pytest.param(hang(), "did not answer in time", id="silent"),
    ],
)
async def test_the_last_failure_is_told_with_its_cause_attached(
    server: ScriptedModel, connect: Connect, step: Step, told: str
) -> None:
    server.will(step)

    error = await failure(connect(patience_seconds=0, timeout_seconds=0.2).reply(HELLO))

    assert told in error.shown
    assert error.__cause__ is not None


async def test_cancelling_hangs_up_at_once_before_the_first_byte(server: ScriptedModel, model: OpenAIModel) -> None:
    server.will_hang()
    asked = asyncio.create_task(model.reply(HELLO))
    await server.reached.wait()

    asked.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asked
    await server.hung_up.wait()


async def test_cancelling_hangs_up_at_once_in_the_middle_of_the_text(server: ScriptedModel, model: OpenAIModel) -> None:
    heard = Heard()
    server.will_pause("half", asyncio.Event())
    asked = asyncio.create_task(model.reply(HELLO, stream=heard))
    await server.reached.wait()

    asked.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asked
    await server.hung_up.wait()
    assert None not in heard.deltas


async def test_a_retry_is_logged_by_its_kind_alone(server: ScriptedModel, model: OpenAIModel) -> None:
    server.will_fail(429, message=f"no {KEY}", headers={"Retry-After": "2"})
    server.will_say("hi")

    with capture_logs() as logs:
        await model.reply(HELLO)

    retry = {"event": "model.retry", "attempt": 1, "reason": "http_429", "wait": 2, "log_level": "info"}
    assert logs == [retry]


CALL = {"id": "1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
RESULT = {"role": "tool", "tool_call_id": "1", "content": "found"}


def calling(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def test_a_proper_conversation_has_no_faults() -> None:
    second = CALL | {"id": "2"}
    results = [RESULT, RESULT | {"tool_call_id": "2"}]
    said = {"role": "assistant", "content": "Found it."}

    assert faults([HI, calling(CALL, second), *results, said, HI, calling(CALL), RESULT]) == []


@pytest.mark.parametrize(
    ("messages", "fault"),
    [
        ([], "messages: none given"),
        ([calling(CALL)], "messages: tool calls without a result at the end: 1"),
        ([calling(CALL), HI], "messages[1]: tool calls without a result before it: 1"),
        ([RESULT], "messages[0]: a tool result without a call that waits for it: 1"),
        ([calling(CALL), RESULT, RESULT], "messages[2]: a tool result without a call that waits for it: 1"),
        (
            [calling(CALL | {"id": "2"}, CALL), RESULT, RESULT | {"tool_call_id": "2"}],
            "messages[1]: a tool result out of order: 1",
        ),
        ([{"role": "robot", "content": "hi"}], "messages[0]: unknown role 'robot'"),
        ([{"role": "assistant", "content": None}], "messages[0]: content is not text"),
        ([{"role": "user", "content": "hi", "name": "A B"}], "messages[0]: the name 'A B' is not allowed"),
        ([calling()], "messages[0]: tool_calls is not a list of calls"),
        (
            [calling(CALL | {"function": {"name": "look up", "arguments": "{}"}}), RESULT],
            "messages[0].tool_calls[0]: the name 'look up' is not allowed",
        ),
        (
            [calling(CALL | {"function": {"name": "look_up", "arguments": "{"}}), RESULT],
            "messages[0].tool_calls[0]: the arguments are not JSON",
        ),
    ],
)
def test_every_fault_of_a_conversation_is_named(messages: list[dict[str, Any]], fault: str) -> None:
    assert faults(messages) == [fault]


async def test_the_server_refuses_a_faulty_conversation_and_remembers_it(connect: Connect) -> None:
    server = await ScriptedModel().__aenter__()
    server.will_say("never said")

    faulty = [*HELLO, json.dumps(calling(CALL)), *HELLO]
    error = await failure(connect(base_url=server.base_url).reply(faulty))

    assert "tool calls without a result" in error.shown
    with pytest.raises(AssertionError, match=r"without a result(.|\n)*unused step"):
        await server.__aexit__(None, None, None)


async def test_the_server_remembers_a_request_that_no_step_expects(connect: Connect) -> None:
    server = await ScriptedModel().__aenter__()

    await failure(connect(base_url=server.base_url).reply(HELLO))

    with pytest.raises(AssertionError, match="unexpected request 1"):
        await server.__aexit__(None, None, None)


class Noted:
    """A meter that remembers what it was told of the last call."""

    def __init__(self) -> None:
        self.facts: dict[str, Any] = {}

    def doing(self, what: str, *, since: float | None = None, **facts: Any) -> "Noted":
        self.facts = {"what": what, **facts}
        return self

    def happened(self, what: str, **facts: Any) -> None: ...

    def note(self, **facts: Any) -> None:
        self.facts |= facts

    def __enter__(self) -> "Noted":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.facts["error"] = kind


async def test_what_a_reply_cost_is_told_to_whoever_measures(server: ScriptedModel, connect: Connect) -> None:
    meter = Noted()
    server.will_fail(500)
    server.will_say("hi")

    await connect(meter=meter).reply(HELLO)

    told = {"attempts": 2, "prompt_tokens": 1, "completion_tokens": 1}
    assert meter.facts == {"what": "model", "model": "gpt-test", "error": None, **told}


async def test_of_several_numbers_of_tokens_in_one_stream_the_last_counts(
    server: ScriptedModel, connect: Connect
) -> None:
    meter = Noted()
    growing = [json.dumps({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": n}}) for n in (1, 2, 3)]
    server.will_send_lines(
        'data: {"choices": [], "usage": null}',
        *(f"data: {usage}" for usage in growing),
        chunk({"content": "hi"}, "stop"),
        "data:[DONE]",
    )

    await connect(meter=meter).reply(HELLO)

    assert (meter.facts["prompt_tokens"], meter.facts["completion_tokens"]) == (9, 3)


@pytest.mark.parametrize("status", [400, 422])
async def test_a_server_that_will_not_be_asked_for_usage_is_asked_without_it_from_then_on(
    status: int, server: ScriptedModel, connect: Connect, time: Time
) -> None:
    model = connect()
    server.will_fail(status, message="Unrecognized request argument supplied: stream_options")
    server.will_say("hi")
    server.will_say("again")

    replies = [(await model.reply(HELLO, [TOOL])).text, (await model.reply(HELLO, [TOOL])).text]

    assert replies == ["hi", "again"]
    assert ["stream_options" in request for request in server.requests] == [True, False, False]
    assert [request["tools"] for request in server.requests] == [[TOOL]] * 3
    assert time.sleeps == []


async def test_a_request_that_is_refused_for_another_reason_is_not_sent_again(
    server: ScriptedModel, connect: Connect
) -> None:
    meter = Noted()
    server.will_fail(400, message="The temperature is wrong.")

    await failure(connect(meter=meter).reply(HELLO))

    assert len(server.requests) == 1
    assert meter.facts["error"] is ModelError


async def test_numbers_of_tokens_that_make_no_sense_are_not_worth_a_reply(
    server: ScriptedModel, connect: Connect
) -> None:
    meter = Noted()
    server.will_send_lines(
        'data: {"choices": [], "usage": {"prompt_tokens": "many"}}', chunk({"content": "hi"}, "stop"), "data:[DONE]"
    )

    assert (await connect(meter=meter).reply(HELLO)).text == "hi"
    assert "prompt_tokens" not in meter.facts
