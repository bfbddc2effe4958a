"""What Prometheus reads of a real Parley, in front of and after what people do."""

import socket

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support.slack_world import SlackWorld

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}
OPEN = ("parley_open_questions", "kind=question")

Numbers = dict[tuple[str, ...], float]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def get(url: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(url) as response:
        return response.status, await response.text()


async def scrape(url: str) -> Numbers:
    """Every number, by its name and its labels."""
    status, text = await get(f"{url}/metrics")
    assert status == 200
    return {
        (sample.name, *(f"{name}={value}" for name, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def started(world: SlackWorld) -> str:
    """Where the metrics are: in HTTP mode beside the rest, else on a port of their own."""
    port = 0 if world.http else free_port()
    await world.start(parley_metrics_port=port)
    return world.url if world.http else f"http://127.0.0.1:{port}"


async def test_a_question_that_is_asked_and_answered_can_be_followed_in_the_numbers(slack_world: SlackWorld) -> None:
    world, ann = slack_world, slack_world.person("ann")
    url = await started(world)
    world.model.will_ask(WHERE)
    world.model.will_say("Shipped.")

    assert (await scrape(url))[OPEN] == 0
    ts = ann.mentions(world.general, "ship it")
    form = await world.form(ts)
    await world.at_rest()
    world.slack.clock.advance(90)
    waiting = await scrape(url)
    ann.chooses(form, 0, "Production")
    await ann.clicks(form, "Submit")
    await world.says("Shipped.", ts)
    await world.at_rest()
    world.slack.clock.advance(10)
    after = await scrape(url)

    assert (waiting[OPEN], after[OPEN]) == (1, 0)
    assert 90 <= waiting["parley_oldest_question_age_seconds", "kind=question"] < 150
    assert after["parley_oldest_question_age_seconds", "kind=question"] == 0
    assert waiting["parley_open_questions", "kind=approval"] == 0
    assert waiting["parley_turns_running", "of=thread"] == after["parley_turns_running", "of=thread"] == 0
    assert after["parley_turns_total", "of=thread", "outcome=waiting"] == 1
    assert after["parley_turns_total", "of=thread", "outcome=idle"] == 1
    assert (waiting["parley_click_seconds_count",], after["parley_click_seconds_count",]) == (0, 1)
    assert 0 < after["parley_click_seconds_sum",] < 5
    assert after["parley_model_call_seconds_count", "outcome=ok"] == 2
    assert after["parley_model_attempts_total",] == 2
    assert after["parley_model_tokens_total", "kind=prompt"] == 2
    assert after["parley_model_tokens_total", "kind=completion"] == 2
    assert after["parley_slack_calls_total", "method=chat.postMessage", "outcome=ok"] >= 1
    assert after["parley_deliveries_total", "again=no", "kind=submitted"] == 1
    assert after["parley_database_commits_total",] > waiting["parley_database_commits_total",]
    assert after["parley_database_up",] == 1
    database = f"database={slack_world.database_url.partition(':')[0]}"
    assert any(name == "parley_build_info" and database in labels for name, *labels in after)


async def test_the_numbers_name_nobody_and_quote_nothing(slack_world: SlackWorld) -> None:
    world, ann = slack_world, slack_world.person("ann")
    url = await started(world)
    world.model.will_call(("made_up_by_the_model", {}))
    world.model.will_say("Done.")

    ts = ann.mentions(world.general, "a secret task")
    await world.says("Done.", ts)
    _, text = await get(f"{url}/metrics")

    private = [ann.id, world.general.id, ts, "secret", "made_up", world.slack.bot_user_id, "T0"]
    assert not [word for word in private if word in text]
    assert 'tool="unknown"' in text


async def test_a_limited_call_and_the_time_waited_for_it_are_counted(slack_world: SlackWorld) -> None:
    world, ann = slack_world, slack_world.person("ann")
    url = await started(world)
    world.model.will_say("Done.")
    world.slack.fail("chat.postMessage", retry_after=7, times=2)

    await world.says("Done.", ann.mentions(world.general, "do it"))
    numbers = await scrape(url)

    assert numbers["parley_slack_calls_total", "method=chat.postMessage", "outcome=limited"] == 2
    assert numbers["parley_slack_limited_seconds_total",] == 14


@pytest.mark.parametrize("slack_world", ["http"], indirect=True)
async def test_with_a_port_of_their_own_they_are_served_only_there(slack_world: SlackWorld) -> None:
    port = free_port()
    await slack_world.start(parley_metrics_port=port)

    assert (await get(f"{slack_world.url}/metrics"))[0] == 404
    assert (await get(f"{slack_world.url}/healthz")) == (200, "up\n")
    assert (await get(f"http://127.0.0.1:{port}/metrics"))[0] == 200
    assert (await get(f"http://127.0.0.1:{port}/healthz")) == (200, "up\n")
    assert (await get(f"http://127.0.0.1:{port}/readyz")) == (200, "ready\n")
