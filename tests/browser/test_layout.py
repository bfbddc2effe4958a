"""What must fit where it stands, at the width that most people have."""

import pytest
from playwright.async_api import expect

from bot.playground.server import LocalSlack
from tests.browser.conftest import NewTab
from tests.support.slack_app import client_of
from tests.support.story_world import StoryWorld

pytestmark = pytest.mark.asyncio(loop_scope="session")

GENERAL = "C0GENERAL"


async def test_the_way_into_a_thread_is_one_line_that_says_everything(slack: LocalSlack, visit: NewTab) -> None:
    ann, ben = slack.people["ann"], slack.people["ben"]
    root = ann.writes(GENERAL, "a beginning")
    ben.writes(GENERAL, "a reply", root)
    client = client_of(slack)
    await client.chat_postMessage(channel=GENERAL, text="another", thread_ts=root)
    await client.chat_postEphemeral(channel=GENERAL, user=ben.id, text="only for Ben", thread_ts=root)
    tab = await visit(slack.core.url, "ben", f"{GENERAL}/{root}")  # the thread beside it leaves the least room

    link = tab.messages.get_by_role("button", name="2 replies")
    last = link.get_by_text("Last reply just now")
    await expect(link.get_by_text("1 only visible to you")).to_be_visible()
    await expect(last).to_be_visible()
    await tab.keeps("way-into-a-thread")
    whole, inner = await link.bounding_box(), await last.bounding_box()
    assert whole
    assert inner
    assert whole["height"] < 40
    assert inner["x"] + inner["width"] <= whole["x"] + whole["width"]


async def test_the_first_storys_table_is_seen_whole_beside_its_channel(stories: StoryWorld, visit: NewTab) -> None:
    ann = await visit(stories.slack.core.url)
    await ann.writes("@parley Help us choose a database")
    await ann.sees_form()
    await ann.thread.get_by_role("radio").first.check()
    await ann.button("Submit").click()

    table = ann.thread.get_by_role("region", name="Table")
    await expect(table.get_by_role("row")).to_have_count(4)
    await ann.keeps("table")
    assert await table.evaluate("(node) => node.scrollWidth <= node.clientWidth")
