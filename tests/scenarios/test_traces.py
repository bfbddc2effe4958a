"""What an OpenTelemetry collector gets of a real Parley: what was done within what, and nothing that was said."""

from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from agent.tools.registry import Toolbox
from tests.support.otlp_receiver import OtlpReceiver, facts
from tests.support.slack_world import SlackWorld

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}

toolbox = Toolbox()


@toolbox.tool(repeatable=True)
def look_up(what: str) -> str:
    """Look something up."""
    raise RuntimeError(f"{what} is private")


async def traced(world: SlackWorld) -> OtlpReceiver:
    """Someone asks, is asked and answers, with a tool that fails in between; then Parley is stopped."""
    ann = world.person("ann")
    async with OtlpReceiver() as receiver:
        await world.start(otel_exporter_otlp_endpoint=receiver.endpoint, parley_tools=f"{__name__}:toolbox")
        world.model.will_call(("look_up", {"what": "a private thing"}))
        world.model.will_ask(WHERE)
        world.model.will_say("Shipped.")
        ts = ann.mentions(world.general, "ship a private thing")
        form = await world.form(ts)
        ann.chooses(form, 0, "Production")
        await ann.clicks(form, "Submit")
        await world.says("Shipped.", ts)
        await world.at_rest()
        await world.stop()
    return receiver


def children(receiver: OtlpReceiver, parent: Span) -> list[str]:
    return [span.name for span in receiver.spans if span.parent_span_id == parent.span_id]


async def test_a_turn_has_within_it_what_it_asked_and_ran(slack_world: SlackWorld) -> None:
    receiver = await traced(slack_world)

    asking, finishing = sorted(receiver.named("turn"), key=lambda span: span.start_time_unix_nano)
    assert receiver.services == {"parley"}
    assert [child for child in children(receiver, asking) if not child.startswith("slack")] == [
        "model scripted",
        "tool look_up",
        "model scripted",
    ]
    assert "model scripted" in children(receiver, finishing)
    assert [turn.parent_span_id for turn in (asking, finishing)] == [b"", b""]
    assert [facts(turn)["parley.outcome"] for turn in (asking, finishing)] == ["waiting", "idle"]
    assert facts(asking)["parley.thread"] == facts(finishing)["parley.thread"]


async def test_a_delivery_is_linked_to_the_turn_that_it_began(slack_world: SlackWorld) -> None:
    receiver = await traced(slack_world)

    [click] = receiver.named("delivery submitted")
    finishing = max(receiver.named("turn"), key=lambda span: span.start_time_unix_nano)
    assert [link.span_id for link in finishing.links] == [click.span_id]
    assert facts(click) == {"parley.kind": "submitted", "parley.outcome": "ok"}


async def test_spans_say_what_was_called_and_how_it_went(slack_world: SlackWorld) -> None:
    receiver = await traced(slack_world)

    [tool] = receiver.named("tool look_up")
    model = facts(receiver.named("model scripted")[0])
    [posted, *_] = receiver.named("slack chat.postMessage")
    assert facts(tool) == {"gen_ai.tool.name": "look_up", "parley.outcome": "failed"}
    assert tool.status == Status(code=Status.STATUS_CODE_ERROR)
    assert model == {
        "gen_ai.request.model": "scripted",
        "gen_ai.usage.input_tokens": 1,
        "gen_ai.usage.output_tokens": 1,
        "parley.attempts": 1,
        "parley.outcome": "ok",
    }
    assert facts(posted) == {"parley.method": "chat.postMessage", "parley.outcome": "ok"}


async def test_no_span_names_anyone_or_quotes_anything(slack_world: SlackWorld) -> None:
    receiver = await traced(slack_world)

    text = "\n".join(str(span) for span in receiver.spans)
    thread = facts(receiver.named("turn")[0])["parley.thread"]
    private = ["private", "Where to", "Production", "Shipped", slack_world.person("ann").id, slack_world.general.id]
    assert not [word for word in private if word in text]
    assert len(thread) == 16
    assert not any(span.events for span in receiver.spans)
