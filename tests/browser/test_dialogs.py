"""Modals that the app opens, buttons that ask first, and the Stop button while a reply is being written."""

import asyncio
from typing import Any

import pytest
from playwright.async_api import expect
from slack_bolt.async_app import AsyncAck
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import LocalSlack
from tests.browser.conftest import NewTab
from tests.support.slack_app import actions, app_on, button, client_of, connected, modal, plain, section
from tests.support.slack_world import SlackWorld

pytestmark = pytest.mark.asyncio(loop_scope="session")

Json = dict[str, Any]
LONG = "It is a long story, told in many words. " * 60
OPTIONS = [{"label": f"Plan {number}, {'which is long, ' * 12}", "description": "words " * 60} for number in range(4)]


async def test_a_question_too_long_for_its_form_can_be_read_whole(scripted: SlackWorld, visit: NewTab) -> None:
    question = {"question": f"Which plan? {LONG} The end.", "options": OPTIONS}
    scripted.model.will_ask([question | {"question": f"{number} {question['question']}"} for number in range(4)])
    await scripted.start()
    ann = await visit(scripted.slack.core.url)
    await ann.writes("@parley plan it")
    await ann.sees_form()

    await ann.button("Read everything").click()

    everything = ann.page.get_by_role("dialog")
    await expect(everything).to_contain_text(f"3 Which plan? {LONG} The end.")
    await ann.keeps("read-everything")
    await ann.page.keyboard.press("Escape")
    await expect(everything).to_have_count(0)
    await expect(ann.button("Submit")).to_be_visible()


async def test_an_approval_too_long_for_its_card_can_be_seen_whole(scripted: SlackWorld, visit: NewTab) -> None:
    details = "\n".join(f"line {number} {'x' * 60}" for number in range(100))
    scripted.model.will_call(("confirm_action", {"action": "Run this", "details": details}))
    await scripted.start()
    ann = await visit(scripted.slack.core.url)
    await ann.writes("@parley run it")

    await ann.button("See everything").click()

    everything = ann.page.get_by_role("dialog", name="Everything")
    await expect(everything).to_contain_text("line 99 xxx")
    await everything.get_by_role("button", name="Close").last.click()
    await expect(everything).to_have_count(0)


async def test_a_modal_is_submitted_with_what_was_filled_in_and_not_before(slack: LocalSlack, visit: NewTab) -> None:
    told: list[Json] = []
    app = app_on(slack)

    @app.action("open")
    async def on_open(ack: AsyncAck, body: Json, client: AsyncWebClient) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=modal())

    @app.view("why")
    async def on_view(ack: AsyncAck, view: Json) -> None:
        told.append(view["state"]["values"]["reason"]["other"]["value"])
        short = {"response_action": "errors", "errors": {"reason": "Say more."}}
        await ack(**short if len(told) == 1 else {})

    async with connected(app, slack):
        await client_of(slack).chat_postMessage(
            channel="C0GENERAL", text="x", blocks=[section(), actions(button("Why?", "open"))]
        )
        ann = await visit(slack.core.url)
        await ann.page.get_by_role("button", name="Why?").click()
        dialog = ann.page.get_by_role("dialog", name="Why")
        field = dialog.get_by_role("textbox", name="Your choice")
        await expect(field).to_be_focused()

        await dialog.get_by_role("button", name="Send").click()
        await expect(dialog.get_by_role("alert")).to_be_visible()
        await expect(field).to_have_attribute("aria-invalid", "true")
        await expect(field).to_be_focused()
        assert told == []  # Slack itself refuses an empty field
        await field.fill("because")
        await field.press("Enter")
        await expect(dialog.get_by_role("alert")).to_have_text("Say more.")
        await ann.keeps("modal-with-an-error")
        await field.fill("because of that")
        await dialog.get_by_role("button", name="Send").click()
        await expect(dialog).to_have_count(0)
        await ann.page.close()

    assert told == ["because", "because of that"]


async def test_a_button_that_asks_first_is_pressed_only_after_a_yes(slack: LocalSlack, visit: NewTab) -> None:
    app = app_on(slack)

    @app.action("wipe")
    async def on_wipe(ack: AsyncAck, respond: Any) -> None:
        await ack()
        await respond("It is empty now.")

    sure = {
        "title": plain("Sure?"),
        "text": plain("<b>All</b> of it?"),
        "confirm": plain("Wipe"),
        "deny": plain("Keep"),
    }
    async with connected(app, slack):
        blocks = [section(), actions(button("Wipe the disk", "wipe", style="danger", confirm=sure))]
        await client_of(slack).chat_postMessage(channel="C0GENERAL", text="x", blocks=blocks)
        ann = await visit(slack.core.url)
        wipe, dialog = ann.page.get_by_role("button", name="Wipe the disk"), ann.page.get_by_role("dialog")

        await wipe.click()
        await expect(dialog).to_contain_text("<b>All</b> of it?")
        await dialog.get_by_role("button", name="Keep").click()
        await expect(dialog).to_have_count(0)
        await wipe.click()
        await ann.page.keyboard.press("Escape")
        await expect(dialog).to_have_count(0)
        assert slack.delivered("block_actions") == []
        await wipe.click()
        await dialog.get_by_role("button", name="Wipe", exact=True).click()

        await expect(ann.messages.get_by_text("It is empty now.")).to_be_visible()
        assert len(slack.delivered("block_actions")) == 1
        await ann.page.close()


async def test_a_reply_that_is_being_written_can_be_stopped(scripted: SlackWorld, visit: NewTab) -> None:
    report = "The first of many paragraphs. " * 40
    scripted.model.will_pause(report, asyncio.Event(), "Never said.")
    await scripted.start()
    ann = await visit(scripted.slack.core.url)
    await ann.writes("@parley write a long report")
    await ann.sees("The first of many paragraphs.")
    await expect(ann.thread.locator(".cursor")).to_have_count(1)
    await ann.keeps("streaming")

    await ann.button("Stop").click()

    await expect(ann.thread.locator(".cursor")).to_have_count(0)
    await expect(ann.button("Stop")).to_be_hidden()
    await asyncio.wait_for(scripted.model.hung_up.wait(), 20)
    await scripted.at_rest()
    await expect(ann.thread.get_by_text("Never said.")).to_have_count(0)
