"""Modals and App Home: what opens them, what they may hold, and how a submission is answered."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.modals import view_faults
from bot.playground.server import LocalSlack
from bot.playground.workspace import View
from tests.support.slack_app import (
    actions,
    app_on,
    asking,
    button,
    client_of,
    connected,
    modal,
    plain,
    refusal,
    section,
    typed,
)

Json = dict[str, Any]
GENERAL = "C0GENERAL"


class Opening:
    """An app whose button opens a modal, and what it was told since."""

    def __init__(self, slack: LocalSlack) -> None:
        self.slack = slack
        self.answer: Json = {}
        self.bodies: list[Json] = []
        self.app: AsyncApp = app_on(slack)
        self.app.action("open")(self.on_open)
        self.app.view("why")(self.on_view)
        self.app.view_closed("why")(self.on_view)

    async def on_open(self, ack: AsyncAck, body: Json, client: AsyncWebClient) -> None:
        self.bodies.append(body)
        await ack()
        if "view" not in body:
            await client.views_open(trigger_id=body["trigger_id"], view=modal(notify_on_close=True))

    async def on_view(self, ack: AsyncAck, body: Json) -> None:
        self.bodies.append(body)
        await ack(**self.answer)

    async def opened(self) -> View:
        ann = self.slack.people["ann"]
        client = client_of(self.slack)
        await client.chat_postMessage(channel=GENERAL, text="a", blocks=[actions(button("Why?", "open"))])
        await ann.clicks(self.slack.messages(GENERAL)[-1], "Why?")
        return await self.slack.until(lambda: self.slack.modal(ann)) or pytest.fail("no modal")


@pytest.fixture
async def opening(slack: LocalSlack) -> AsyncIterator[Opening]:
    opening = Opening(slack)
    async with connected(opening.app, slack):
        yield opening


async def test_a_submission_brings_what_was_filled_in_and_closes_the_modal(slack: LocalSlack, opening: Opening) -> None:
    view = await opening.opened()

    outcome = await slack.people["ann"].submits(view, {"reason": "because"})

    assert outcome.acked
    assert slack.modal(slack.people["ann"]) is None
    assert opening.bodies[-1]["view"]["state"]["values"]["reason"]["other"]["value"] == "because"


async def test_errors_in_the_answer_are_shown_at_their_block_and_the_modal_stays(
    slack: LocalSlack, opening: Opening
) -> None:
    view = await opening.opened()
    opening.answer = {"response_action": "errors", "errors": {"reason": "Say more."}}

    outcome = await slack.people["ann"].submits(view, {"reason": "no"})

    assert outcome.errors == {"reason": "Say more."}
    assert slack.modal(slack.people["ann"]) == view


async def test_errors_for_a_block_that_is_not_there_are_trouble(slack: LocalSlack, opening: Opening) -> None:
    view = await opening.opened()
    opening.answer = {"response_action": "errors", "errors": {"elsewhere": "Say more."}}

    outcome = await slack.people["ann"].submits(view, {"reason": "no"})

    assert "trouble" in outcome.error


async def test_the_answer_can_change_the_modal_put_another_on_top_or_close_all(
    slack: LocalSlack, opening: Opening
) -> None:
    ann = slack.people["ann"]
    view = await opening.opened()

    opening.answer = {"response_action": "update", "view": modal(section("Thank you"))}
    await ann.submits(view, {"reason": "because"})
    assert view.words == "Thank you"

    opening.answer = {"response_action": "push", "view": modal(section("Sure?"))}
    await ann.submits(view)
    pushed = slack.modal(ann)
    assert pushed
    assert (pushed.words, pushed.previous_id) == ("Sure?", view.id)

    opening.answer = {"response_action": "clear"}
    await ann.submits(pushed)
    assert slack.modal(ann) is None


async def test_an_empty_required_field_is_not_even_sent(slack: LocalSlack, opening: Opening) -> None:
    view = await opening.opened()

    outcome = await slack.people["ann"].submits(view)

    assert (outcome.acked, list(outcome.errors)) == (False, ["reason"])
    assert slack.delivered("view_submission") == []


async def test_closing_is_told_to_who_wants_to_know(slack: LocalSlack, opening: Opening) -> None:
    view = await opening.opened()

    await slack.people["ann"].closes(view)

    assert slack.modal(slack.people["ann"]) is None
    assert opening.bodies[-1]["type"] == "view_closed"


async def test_a_trigger_works_once(slack: LocalSlack, opening: Opening, client: AsyncWebClient) -> None:
    await opening.opened()

    again = client.views_open(trigger_id=opening.bodies[0]["trigger_id"], view=modal())

    assert (await refusal(again))["error"] == "exchanged_trigger_id"


async def test_a_trigger_works_for_three_seconds(slack: LocalSlack, opening: Opening, client: AsyncWebClient) -> None:
    await opening.opened()
    slack.clock.advance(3)

    late = client.views_open(trigger_id=opening.bodies[0]["trigger_id"], view=modal())

    assert (await refusal(late))["error"] == "expired_trigger_id"
    unknown = client.views_open(trigger_id="1.2.3", view=modal())
    assert (await refusal(unknown))["error"] == "invalid_trigger_id"


async def test_an_update_needs_the_hash_it_saw(slack: LocalSlack, opening: Opening, client: AsyncWebClient) -> None:
    view = await opening.opened()

    stale = client.views_update(view_id=view.id, hash="old", view=modal(section("a")))
    assert (await refusal(stale))["error"] == "hash_conflict"
    await client.views_update(view_id=view.id, hash=view.hash, view=modal(section("a")))
    assert view.words == "a"
    gone = client.views_update(view_id="V0GONE", view=modal())
    assert (await refusal(gone))["error"] == "not_found"


async def test_app_home_is_published_per_person_and_its_buttons_work(
    slack: LocalSlack, opening: Opening, client: AsyncWebClient
) -> None:
    ann, ben = slack.people["ann"], slack.people["ben"]
    home = {"type": "home", "blocks": [section("Open questions"), actions(button("Go", "open", value="q1"))]}

    await client.views_publish(user_id=ann.id, view=home)
    shown = slack.home(ann)
    assert shown
    await ann.clicks(shown, "Go")

    body = opening.bodies[-1]
    assert slack.home(ben) is None
    assert (body["container"]["type"], body["view"]["type"], body["actions"][0]["value"]) == ("view", "home", "q1")
    assert "response_url" not in body


async def test_a_view_has_250_kilobytes(client: AsyncWebClient) -> None:
    large = {"type": "home", "blocks": [section("x" * 3_000)] * 90}

    answer = await refusal(client.views_publish(user_id="U0ANNAAAA", view=large))

    assert answer["error"] == "view_too_large"


async def test_a_bad_block_in_a_view_is_an_invalid_argument(client: AsyncWebClient) -> None:
    bad = {"type": "home", "blocks": [section("x" * 3_001)]}

    answer = await refusal(client.views_publish(user_id="U0ANNAAAA", view=bad))

    assert (answer["error"], "/view/blocks/0" in answer["response_metadata"]["messages"][0]) == (
        "invalid_arguments",
        True,
    )


@pytest.mark.parametrize(("name", "most"), [("title", 24), ("submit", 24), ("close", 24)])
def test_the_words_of_a_modal_have_24_characters(name: str, most: int) -> None:
    assert view_faults(modal(**{name: plain("x" * most)})) == []
    assert len(view_faults(modal(**{name: plain("x" * (most + 1))}))) == 1


@pytest.mark.parametrize(("name", "most"), [("callback_id", 255), ("private_metadata", 3_000)])
def test_what_a_view_carries_has_a_limit(name: str, most: int) -> None:
    assert view_faults(modal(**{name: "x" * most})) == []
    assert len(view_faults(modal(**{name: "x" * (most + 1)}))) == 1


def test_a_modal_that_asks_needs_a_submit_button_and_app_home_has_none() -> None:
    assert view_faults(modal(asking(typed()), submit=None)) != []
    assert view_faults(modal(section(), submit=None)) == []
    assert view_faults({"type": "home", "submit": plain("Send"), "blocks": []}) != []


async def test_three_modals_can_lie_on_each_other(slack: LocalSlack, opening: Opening) -> None:
    ann = slack.people["ann"]
    view = await opening.opened()
    opening.answer = {"response_action": "push", "view": modal(section("one more"))}
    await ann.submits(view, {"reason": "because"})
    await ann.submits(slack.modal(ann) or view)

    outcome = await ann.submits(slack.modal(ann) or view)

    assert outcome.error == "push_limit_reached"


async def test_two_views_cannot_have_the_same_external_id(slack: LocalSlack, client: AsyncWebClient) -> None:
    home = {"type": "home", "external_id": "mine", "blocks": [section()]}
    await client.views_publish(user_id=slack.people["ann"].id, view=home)

    answer = await refusal(client.views_publish(user_id=slack.people["ben"].id, view=home))

    assert answer["error"] == "duplicate_external_id"
