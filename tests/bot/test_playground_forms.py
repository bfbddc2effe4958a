"""What people fill in: kept per person, as long as the ids stay the same."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.playground.server import LocalSlack
from bot.playground.workspace import Message
from tests.support.slack_app import actions, app_on, asking, boxes, button, client_of, connected, form, radio, section

Json = dict[str, Any]
GENERAL = "C0GENERAL"


class Forms:
    """An app with a form in a channel, and what the last click on it brought."""

    def __init__(self, slack: LocalSlack) -> None:
        self.slack = slack
        self.bodies: list[Json] = []
        self.app: AsyncApp = app_on(slack)
        self.ts = ""
        for name in ("submit", "choice"):
            self.app.action(name)(self.on_submit)

    async def on_submit(self, ack: AsyncAck, body: Json) -> None:
        self.bodies.append(body)
        await ack()

    async def shows(self, blocks: list[Json]) -> Message:
        client = client_of(self.slack)
        if self.ts:
            await client.chat_update(channel=GENERAL, ts=self.ts, text="a form", blocks=blocks)
        else:
            self.ts = (await client.chat_postMessage(channel=GENERAL, text="a form", blocks=blocks))["ts"]
        return self.message

    @property
    def message(self) -> Message:
        return self.slack.thread(GENERAL, self.ts)[0]

    async def submitted_by(self, name: str, message: Message | None = None) -> Json:
        outcome = await self.slack.people[name].clicks(message or self.message, "Submit")
        assert outcome.acked
        values: Json = self.bodies[-1]["state"]["values"]
        return values


@pytest.fixture
async def forms(slack: LocalSlack) -> AsyncIterator[Forms]:
    forms = Forms(slack)
    async with connected(forms.app, slack):
        yield forms


async def test_what_is_filled_in_outlives_an_update_that_keeps_the_ids(slack: LocalSlack, forms: Forms) -> None:
    message = await forms.shows(form())
    slack.people["ann"].chooses(message, 1, "SQLite")
    slack.people["ann"].types(message, 1, "or something else")

    await forms.shows([section("Changed words above"), *form()])
    values = await forms.submitted_by("ann")

    assert values["q1/choice"]["choice"]["selected_option"]["text"]["text"] == "SQLite"
    assert values["q1/other"]["other"]["value"] == "or something else"


async def test_a_new_id_empties_the_element(slack: LocalSlack, forms: Forms) -> None:
    message = await forms.shows([asking(radio("A", "B"), "q/1"), actions(button())])
    slack.people["ann"].chooses(message, 1, "B")

    await forms.shows([asking(radio("A", "B"), "q/2"), actions(button())])
    values = await forms.submitted_by("ann")

    assert values == {"q/2": {"choice": {"type": "radio_buttons", "selected_option": None}}}


async def test_an_element_without_an_id_of_its_own_is_emptied_by_every_update(slack: LocalSlack, forms: Forms) -> None:
    nameless = asking(radio("A", "B"))
    del nameless["block_id"]
    message = await forms.shows([nameless, actions(button())])
    slack.people["ann"].chooses(message, 1, "B")

    await forms.shows([nameless, actions(button())])
    values = await forms.submitted_by("ann")

    assert [value["choice"]["selected_option"] for value in values.values()] == [None]


async def test_an_update_does_not_bring_new_preselections_to_who_has_chosen(slack: LocalSlack, forms: Forms) -> None:
    message = await forms.shows([asking(boxes("A", "B")), actions(button())])
    slack.people["ann"].chooses(message, 1, "A")

    preselected = boxes("A", "B")
    preselected["initial_options"] = [preselected["options"][1]]
    await forms.shows([asking(preselected), actions(button())])

    chosen = {name: (await forms.submitted_by(name))["q1"]["choice"]["selected_options"] for name in ("ann", "ben")}
    assert [o["text"]["text"] for o in chosen["ann"]] == ["A"]
    assert [o["text"]["text"] for o in chosen["ben"]] == ["B"]


async def test_nobody_carries_what_somebody_else_filled_in(slack: LocalSlack, forms: Forms) -> None:
    message = await forms.shows(form())
    slack.people["ann"].chooses(message, 1, "SQLite")

    values = await forms.submitted_by("ben")

    assert values["q1/choice"]["choice"]["selected_option"] is None


async def test_a_click_on_what_is_still_on_the_screen_carries_the_old_form(slack: LocalSlack, forms: Forms) -> None:
    old = await forms.shows(form())
    slack.people["ann"].chooses(old, 1, "SQLite")
    await forms.shows([section("closed")])

    values = await forms.submitted_by("ann", old)

    assert values["q1/choice"]["choice"]["selected_option"]["text"]["text"] == "SQLite"
    assert forms.bodies[-1]["message"]["ts"] == old.ts


async def test_an_element_outside_an_input_tells_the_app_at_once(slack: LocalSlack, forms: Forms) -> None:
    message = await forms.shows([actions(radio("A", "B"))])

    outcome = await slack.people["ann"].picks(message, "buttons", "B")

    assert outcome.acked
    assert forms.bodies[-1]["actions"][0]["selected_option"]["text"]["text"] == "B"
    assert forms.bodies[-1]["state"]["values"]["buttons"]["choice"]["selected_option"]["value"] == "1"


async def test_radio_buttons_cannot_be_emptied_again(slack: LocalSlack, forms: Forms) -> None:
    message = await forms.shows(form())

    with pytest.raises(LookupError):
        slack.people["ann"].fills(message, "q1/choice", None)


async def test_the_form_can_be_read_as_people_read_it(forms: Forms) -> None:
    message = await forms.shows(form())

    assert message.buttons == ["Submit"]
    assert message.words.splitlines()[:4] == ["Which database?", "Your choice", "Postgres", "SQLite"]
