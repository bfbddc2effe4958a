"""Slack closes a socket whenever it likes; what people do meanwhile is dealt with all the same."""

import pytest

from tests.support.slack_world import SlackWorld

pytestmark = pytest.mark.parametrize("slack_world", ["sockets"], indirect=True)

WHERE = {"questions": [{"question": "Where to?", "options": ["Staging", "Production"]}]}


async def test_there_are_two_sockets_and_both_are_used(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_say("Shipped.")

    ts = world.person().mentions(world.general, "ship it")
    await world.says("Shipped.", ts)
    await world.at_rest()

    assert len(world.slack.called("apps.connections.open")) == 2
    assert all(delivery.acked for delivery in world.slack.deliveries)


@pytest.mark.parametrize("reason", ["refresh_requested", "warning"])
async def test_a_mention_while_slack_renews_the_sockets_is_dealt_with(slack_world: SlackWorld, reason: str) -> None:
    world = await slack_world.start()
    world.model.will_say("Shipped.")

    world.slack.disconnect(reason)
    ts = world.person().mentions(world.general, "ship it")

    await world.says("Shipped.", ts)
    await world.at_rest()
    assert len(world.replies(ts)) == 1


async def test_an_open_form_can_be_answered_after_the_sockets_were_renewed(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person()
    world.model.will_ask(WHERE)
    world.model.will_say("Shipped.")
    ts = ann.mentions(world.general, "ship it")
    form = await world.form(ts)

    world.slack.disconnect()
    await world.slack.until(lambda: len(world.slack.called("apps.connections.open")) == 4)
    await world.slack.connected(2)
    ann.chooses(form, 1, "Production")
    outcome = await ann.clicks(form, "Submit")

    assert outcome.acked
    await world.says("Shipped.", ts)


async def test_a_mention_while_every_socket_is_cut_is_dealt_with_once_there_is_one(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_say("Shipped.")

    world.slack.drop_sockets()
    ts = world.person().mentions(world.general, "ship it")
    await world.slack.connected(2, seconds=30)

    await world.says("Shipped.", ts)
    await world.at_rest()
    assert len(world.replies(ts)) == 1
    assert len(world.model.requests) == 1
