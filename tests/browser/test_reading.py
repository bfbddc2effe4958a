"""Reading along: what is new, what is tall, whose name leads somewhere, and what time it is."""

import pytest
from playwright.async_api import Locator, expect

from bot.playground.server import LocalSlack
from tests.browser.conftest import NewTab
from tests.support.browser import Tab
from tests.support.slack_app import client_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

GENERAL = "C0GENERAL"
LINES = ["The first of many lines", *["and another"] * 40, "The last of many lines"]
TALL = {"text": "many lines", "blocks": [{"type": "section", "text": {"type": "plain_text", "text": t}} for t in LINES]}


def line(tab: Tab) -> Locator:
    """Above what is new."""
    return tab.page.get_by_text("New", exact=True)


async def hides(tab: Tab, hidden: bool) -> None:
    """As when another tab is in front of it."""
    told = f"Object.defineProperty(document, 'hidden', {{ configurable: true, get: () => {str(hidden).lower()} }})"
    await tab.page.evaluate(f"() => {{ {told}; document.dispatchEvent(new Event('visibilitychange')); }}")


async def test_what_comes_before_ones_eyes_is_not_marked_as_new(slack: LocalSlack, visit: NewTab) -> None:
    ben = slack.people["ben"]
    root = ben.writes(GENERAL, "before")
    ann = await visit(slack.core.url, "ann", f"{GENERAL}/{root}")
    await ann.sees("before")
    await ann.page.reload()  # she was here before
    await ann.sees("before")

    ben.writes(GENERAL, "meanwhile")
    ben.writes(GENERAL, "in the thread", root)

    await expect(ann.messages.get_by_text("meanwhile")).to_be_visible()
    await ann.sees("in the thread")
    await expect(line(ann)).to_have_count(0)


async def test_what_came_while_one_looked_elsewhere_is_marked_as_new(slack: LocalSlack, visit: NewTab) -> None:
    ben = slack.people["ben"]
    ben.writes(GENERAL, "before")
    ann = await visit(slack.core.url)
    await expect(ann.messages.get_by_text("before")).to_be_visible()

    await hides(ann, True)
    ben.writes(GENERAL, "behind the back")
    await expect(ann.messages.get_by_text("behind the back")).to_be_visible()
    await hides(ann, False)
    ben.writes(GENERAL, "before the eyes")

    lines = ann.messages.get_by_role("listitem")
    await expect(lines).to_contain_text(["Today", "before", "New", "behind the back", "before the eyes"])
    await ann.writes("Seen all of it.")
    await expect(line(ann)).to_have_count(0)


async def test_what_came_while_one_was_at_home_is_marked_as_new(slack: LocalSlack, visit: NewTab) -> None:
    ben = slack.people["ben"]
    ben.writes(GENERAL, "before")
    ann = await visit(slack.core.url)
    await expect(ann.messages.get_by_text("before")).to_be_visible()
    await ann.link("Parley Home").click()

    ben.writes(GENERAL, "meanwhile")
    await expect(ann.link("general")).to_have_accessible_name("general unread")
    await ann.link("general").click()

    await expect(ann.messages.get_by_role("listitem")).to_contain_text(["Today", "before", "New", "meanwhile"])


async def test_what_comes_while_one_reads_further_up_is_marked_as_new(slack: LocalSlack, visit: NewTab) -> None:
    for number in range(60):
        slack.people["ben"].writes(GENERAL, f"number {number}")
    ann = await visit(slack.core.url)
    await expect(ann.messages.get_by_text("number 59")).to_be_in_viewport()
    await ann.messages.get_by_text("number 3", exact=True).scroll_into_view_if_needed()

    slack.people["ben"].writes(GENERAL, "down there")

    await ann.page.get_by_role("button", name="1 new message").click()
    await expect(ann.messages.get_by_text("down there")).to_be_in_viewport()
    await expect(line(ann)).to_be_visible()


async def test_a_message_taller_than_the_page_is_seen_from_its_beginning(slack: LocalSlack, visit: NewTab) -> None:
    root = slack.people["ann"].writes(GENERAL, "a beginning")
    ann = await visit(slack.core.url, "ann", f"{GENERAL}/{root}")
    await ann.sees("a beginning")

    await client_of(slack).chat_postMessage(channel=GENERAL, thread_ts=root, **TALL)
    await expect(ann.thread.get_by_text("The first of many lines")).to_be_in_viewport()
    await ann.keeps("tall-message")

    ben = await visit(slack.core.url, "ben", f"{GENERAL}/{root}")  # for whom all of it is new
    await expect(ben.thread.get_by_text("The first of many lines")).to_be_in_viewport()


async def test_a_link_to_a_tall_message_shows_its_beginning(slack: LocalSlack, visit: NewTab) -> None:
    tall = (await client_of(slack).chat_postMessage(channel=GENERAL, **TALL))["ts"]
    for number in range(40):
        slack.people["ben"].writes(GENERAL, f"number {number}")
    ann = await visit(slack.core.url)

    await ann.page.goto(f"{slack.core.url}/archives/{GENERAL}/p{tall.replace('.', '')}?as=ann")

    await expect(ann.messages.get_by_text("The first of many lines")).to_be_in_viewport()


async def test_only_names_that_lead_somewhere_are_buttons(slack: LocalSlack, visit: NewTab) -> None:
    ben = slack.people["ben"]
    ben.writes(GENERAL, f"<@{slack.people['ann'].id}> or <@{ben.id}> or <@{slack.core.workspace.bot_user_id}>?")
    ann = await visit(slack.core.url)

    await expect(ann.messages.get_by_text("@Ben Bauer")).to_be_visible()
    await expect(ann.messages.get_by_role("button", name="@")).to_have_text(["@Parley"])
    await ann.messages.get_by_role("button", name="@Parley").click()

    await expect(ann.page.get_by_role("region", name="Home", exact=True)).to_be_visible()


async def test_dates_in_a_text_are_told_by_the_clock_that_was_pushed_on(slack: LocalSlack, visit: NewTab) -> None:
    now = int(slack.core.clock.now())
    text = f"Due <!date^{now}^{{date_pretty}}, {{ago}}|then>."
    await client_of(slack).chat_postMessage(channel=GENERAL, text=text)
    ann = await visit(slack.core.url)
    await expect(ann.messages.get_by_text("Due today")).to_be_visible()

    drawer = await ann.opens_tools("Toolbox")
    await drawer.get_by_role("button", name="1 day").click()

    await expect(ann.messages.get_by_text("Due yesterday, yesterday.")).to_be_visible()
