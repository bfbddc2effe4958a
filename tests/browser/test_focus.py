"""Whoever uses the keyboard alone always stands somewhere: after every step, and where the next one is near."""

import re

import pytest
from playwright.async_api import expect

from bot.playground.server import LocalSlack
from tests.browser.conftest import NewTab
from tests.support.browser import Tab
from tests.support.slack_app import client_of

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def is_in_the_thread(tab: Tab) -> None:
    await expect(tab.thread.get_by_role("region", name="Thread")).to_be_focused()


async def test_what_was_chosen_to_try_leads_into_its_thread(new_tab: NewTab) -> None:
    ann = await new_tab("ann")

    await ann.page.get_by_role("button", name="Try…").press("Enter")
    await ann.page.get_by_role("button", name="Plan the launch with us").last.press("Enter")

    await ann.sees_form()
    await is_in_the_thread(ann)


async def test_a_prompt_of_the_welcome_leads_into_its_thread(new_tab: NewTab) -> None:
    ann = await new_tab("ann")

    await ann.page.get_by_role("button", name="Plan the launch with us").first.press("Enter")

    await ann.sees_form()
    await is_in_the_thread(ann)


async def test_whoever_wrote_a_message_can_write_the_next_one(come: NewTab) -> None:
    ann = await come("ann")

    await ann.writes("@parley Help us choose a database")

    await ann.sees_form()
    await expect(ann.composer).to_be_focused()


async def test_whoever_submitted_a_form_stands_at_its_message(come: NewTab) -> None:
    ann = await come("ann")
    await ann.writes("@parley Help us choose a database")
    await ann.sees_form()
    await ann.thread.get_by_role("radio").first.check()

    await ann.button("Submit").press("Enter")

    await ann.sees(re.compile("Answered by"))
    await expect(ann.thread.get_by_role("listitem").filter(has_text="Answered by")).to_be_focused()


async def test_whoever_stopped_a_run_can_say_what_to_do_instead(slack: LocalSlack, visit: NewTab) -> None:
    root = slack.people["ann"].writes("C0GENERAL", "a task")
    running = {"channel_id": "C0GENERAL", "thread_ts": root, "status": "processing"}
    await client_of(slack).api_call("agents.sessions.setStatus", json=running)
    ann = await visit(slack.core.url, "ann", f"C0GENERAL/{root}")

    await ann.button("Stop").press("Enter")

    await expect(ann.thread.get_by_role("textbox", name="Reply in the thread")).to_be_focused()


async def test_esc_closes_the_developer_tools_first_and_leads_back(slack: LocalSlack, visit: NewTab) -> None:
    root = slack.people["ben"].writes("C0GENERAL", "a beginning")
    ann = await visit(slack.core.url, "ann", f"C0GENERAL/{root}")
    drawer = ann.page.get_by_role("region", name="Developer tools")
    await expect(ann.composer).to_be_focused()

    await ann.page.keyboard.press("Control+.")
    await expect(drawer.get_by_role("tab", name="Log")).to_be_focused()
    await ann.page.keyboard.press("Escape")

    await expect(drawer).to_be_hidden()
    await expect(ann.thread).to_be_visible()
    await expect(ann.composer).to_be_focused()
