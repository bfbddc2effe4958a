"""Where people write: drafts, mentions, files, and second thoughts about what was sent."""

import json
from pathlib import Path

import pytest
from playwright.async_api import expect

from bot.playground.server import LocalSlack
from tests.browser.conftest import NewTab
from tests.support.slack_app import client_of, form
from tests.support.slack_world import SlackWorld

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_every_place_keeps_a_draft_of_its_own(slack: LocalSlack, visit: NewTab) -> None:
    root = slack.people["ben"].writes("C0GENERAL", "a beginning")
    ann = await visit(slack.core.url, "ann", f"C0GENERAL/{root}")
    reply = ann.thread.get_by_role("textbox", name="Reply in the thread")
    await ann.composer.fill("for everybody")
    await reply.fill("for the thread")

    await ann.link("leads").click()
    await expect(ann.composer).to_have_value("")
    await ann.composer.fill("for the leads")
    await ann.link("general").click()
    await expect(ann.composer).to_have_value("for everybody")
    await ann.opens_thread_of("a beginning")
    await expect(reply).to_have_value("for the thread")
    await ann.link("leads").click()
    await expect(ann.composer).to_have_value("for the leads")


async def test_a_draft_outlives_the_page_and_belongs_to_one_person(slack: LocalSlack, visit: NewTab) -> None:
    ann = await visit(slack.core.url)
    await ann.composer.press_sequentially("half a sentence")

    await ann.comes("ben")
    await expect(ann.page.get_by_role("button", name="You are Ben Bauer")).to_be_visible()
    await expect(ann.composer).to_have_value("")
    await ann.comes("ann")
    await expect(ann.composer).to_have_value("half a sentence")
    await ann.composer.press("Enter")
    await expect(ann.messages.get_by_text("half a sentence")).to_be_visible()
    await ann.page.reload()

    await expect(ann.messages.get_by_text("half a sentence")).to_be_visible()
    await expect(ann.composer).to_have_value("")


async def test_what_was_typed_into_a_form_just_before_a_reload_is_kept(slack: LocalSlack, visit: NewTab) -> None:
    await client_of(slack).chat_postMessage(channel="C0GENERAL", text="a form", blocks=form())
    ann = await visit(slack.core.url)

    await ann.messages.get_by_role("textbox").fill("in a hurry")
    await ann.page.reload()

    await expect(ann.messages.get_by_role("textbox")).to_have_value("in a hurry")


async def test_the_last_message_is_edited_with_the_up_arrow(slack: LocalSlack, visit: NewTab) -> None:
    ann, ben = await visit(slack.core.url, "ann"), await visit(slack.core.url, "ben")
    await ann.writes("@ben Dinner at <eigth> & then?")
    await expect(ben.messages.get_by_text("Dinner at <eigth> & then?")).to_be_visible()

    editing = ann.page.get_by_role("region", name="#general").get_by_text("Editing your message")
    await ann.composer.press("ArrowUp")
    await expect(editing).to_be_visible()
    await expect(ann.composer).to_have_value("@ben Dinner at <eigth> & then?")
    await ann.writes("@ben Dinner at eight, then?")

    await expect(ben.messages.get_by_text("Dinner at eight, then?")).to_contain_text("@Ben Bauer")
    await expect(ben.messages.get_by_text("(edited)")).to_be_visible()
    await expect(ben.messages.get_by_text("eigth")).to_have_count(0)
    await expect(ann.composer).to_have_value("")
    await ann.composer.press("ArrowUp")
    await ann.composer.press("Escape")
    await expect(editing).to_be_hidden()


async def test_names_are_completed_while_one_types(slack: LocalSlack, visit: NewTab) -> None:
    ann = await visit(slack.core.url)
    await ann.composer.press_sequentially("Ask @ba")
    options = ann.page.get_by_role("listbox", name="Suggestions").get_by_role("option")
    await expect(options).to_contain_text(["Ben Bauer"])
    await ann.composer.press("Enter")
    await expect(ann.composer).to_have_value("Ask @ben ")

    await ann.composer.press_sequentially("in #")
    await expect(options).to_contain_text(["general", "random", "leads", "partners"])
    await ann.composer.press("ArrowDown")
    await ann.composer.press("Tab")
    await expect(ann.composer).to_have_value("Ask @ben in #random ")
    await ann.composer.press("Enter")

    message = ann.messages.get_by_role("listitem").last
    await expect(message).to_contain_text("Ask @Ben Bauer in #random")
    [written] = slack.messages("C0GENERAL")
    assert written.text == f"Ask <@{slack.people['ben'].id}> in <#C0RANDOM0>"


async def test_an_attached_file_is_shown_and_read_by_the_agent(
    scripted: SlackWorld, visit: NewTab, tmp_path: Path
) -> None:
    scripted.model.will_say("The budget is 4711.")
    await scripted.start()
    notes = tmp_path / "notes <b>.txt"
    notes.write_text("The budget is four thousand seven hundred and eleven.")
    ann = await visit(scripted.slack.core.url)

    async with ann.page.expect_file_chooser() as choosing:
        await ann.page.get_by_role("button", name="Attach files").click()
    await (await choosing.value).set_files([notes, Path(__file__)])
    await expect(ann.page.get_by_role("list", name="Attached files")).to_contain_text("notes <b>.txt")
    await ann.page.get_by_role("button", name="Remove test_writing.py").click()
    await ann.writes("@parley what is the budget?")

    await ann.sees("The budget is 4711.")
    await expect(ann.thread.get_by_role("link", name="notes <b>.txt")).to_be_visible()
    asked = json.dumps(scripted.model.requests[0]["messages"])
    assert "four thousand seven hundred and eleven" in asked
    assert "test_writing.py" not in asked
    await ann.keeps("attached-file")


async def test_what_could_not_be_sent_comes_back(slack: LocalSlack, visit: NewTab) -> None:
    ann = await visit(slack.core.url)

    await ann.writes("x" * 12_001)

    await expect(ann.page.get_by_text("A message has at most 12,000 characters")).to_be_visible()
    await expect(ann.composer).to_have_value("x" * 12_001)
