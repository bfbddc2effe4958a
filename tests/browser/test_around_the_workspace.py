"""Getting around: places, people, the app's Home, what is unread, and what is said when someone is not there."""

import re

import pytest
from playwright.async_api import expect

from bot.playground.server import LocalSlack
from tests.browser.conftest import NewTab
from tests.support.slack_app import app_on, client_of, connected

pytestmark = pytest.mark.asyncio(loop_scope="session")

QUESTION = "Help us choose a database"


async def test_home_lists_the_open_question_and_leads_to_it(come: NewTab) -> None:
    ann = await come()
    await ann.writes(f"@parley {QUESTION}")
    await ann.sees_form()

    await ann.link("Parley Home").click()
    home = ann.page.get_by_role("region", name="Home", exact=True)
    await expect(home.get_by_text("Which database should the new service use?")).to_be_visible()
    await ann.keeps("home")
    await home.get_by_role("link", name="Open question 1").click()

    await ann.sees_form()
    await ann.other().fill("Two of them")
    await ann.button("Submit").click()
    await ann.sees(re.compile("Two of them” it is"))
    await ann.link("Parley Home").click()
    await expect(home.get_by_text("Nothing is waiting for you.")).to_be_visible()
    await expect(home.get_by_text("Two of them")).to_be_visible()


async def test_a_direct_message_is_answered_in_its_thread(come: NewTab) -> None:
    ben = await come("ben")
    await ben.link("Parley agent").click()
    await expect(ben.page.get_by_role("heading", name="Talk to Parley")).to_be_visible()

    await ben.writes(QUESTION)  # nobody has to be mentioned there

    await ben.sees_form()
    await ben.thread.get_by_role("radio", name="SQLite").check()
    await ben.button("Submit").click()
    await ben.sees(re.compile("SQLite it is"))
    await ben.page.get_by_role("navigation", name="Parley", exact=True).get_by_role("link", name="Home").click()
    await expect(ben.page.get_by_text("Last decisions")).to_be_visible()


async def test_one_can_be_somebody_else_in_this_tab_or_in_another(slack: LocalSlack, visit: NewTab) -> None:
    ann = await visit(slack.core.url, "ann", "C0LEADS00")
    myself = ann.page.get_by_role("button", name="You are")
    await expect(myself).to_contain_text("Ann Archer")

    await myself.click()
    await ann.page.get_by_role("link", name=re.compile("^Ben Bauer")).click()
    await expect(myself).to_contain_text("Ben Bauer")
    await expect(ann.page.get_by_role("heading", name="leads", exact=True)).to_be_visible()  # where Ann was

    await myself.click()
    await ann.keeps("people")
    async with ann.page.context.expect_page() as opening:
        await ann.page.get_by_role("link", name="Open as Gus Green in a new tab").click()
    another = await opening.value
    await expect(another.get_by_role("button", name="You are Gus Green, guest")).to_be_visible()
    await expect(another.get_by_role("link", name="leads")).to_have_count(0)  # he is not in it
    await expect(myself).to_contain_text("Ben Bauer")


async def test_the_theme_is_kept(slack: LocalSlack, visit: NewTab) -> None:
    ann = await visit(slack.core.url, color_scheme="light")
    theme = ann.page.get_by_role("button", name="Theme")
    colour = "getComputedStyle(document.body).backgroundColor"
    await expect(theme).to_have_accessible_name("Theme: system. Change it")
    light = await ann.page.evaluate(colour)

    await theme.click()
    await theme.click()
    await ann.page.reload()

    await expect(theme).to_have_accessible_name("Theme: dark. Change it")
    assert await ann.page.evaluate(colour) != light
    await theme.click()
    await expect(theme).to_have_accessible_name("Theme: system. Change it")
    assert await ann.page.evaluate(colour) == light


async def test_one_jumps_to_a_place_by_a_part_of_its_name(slack: LocalSlack, visit: NewTab) -> None:
    ann = await visit(slack.core.url)
    await expect(ann.composer).to_be_focused()

    await ann.page.keyboard.press("Control+k")
    await ann.page.keyboard.type("part")
    await expect(ann.page.get_by_role("option")).to_have_text(["partners"])
    await ann.page.keyboard.press("Enter")

    await expect(ann.page.get_by_role("heading", name="partners", exact=True)).to_be_visible()
    await expect(ann.page.get_by_role("dialog")).to_have_count(0)
    await ann.page.keyboard.press("Alt+ArrowUp")
    await expect(ann.page.get_by_role("heading", name="leads", exact=True)).to_be_visible()
    await ann.page.go_back()
    await expect(ann.page.get_by_role("heading", name="partners", exact=True)).to_be_visible()


async def test_the_keys_are_listed_and_esc_closes_what_is_open(slack: LocalSlack, visit: NewTab) -> None:
    root = slack.people["ben"].writes("C0GENERAL", "a beginning")
    ann = await visit(slack.core.url, "ann", f"C0GENERAL/{root}")
    await expect(ann.thread).to_be_visible()

    await ann.page.get_by_role("button", name="Keyboard shortcuts").click()
    await expect(ann.page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("Jump to a channel")
    await ann.page.keyboard.press("Escape")
    await expect(ann.page.get_by_role("dialog")).to_have_count(0)
    await expect(ann.thread).to_be_visible()
    await ann.page.keyboard.press("Escape")
    await expect(ann.thread).to_be_hidden()


async def test_the_keys_are_called_as_they_are_on_this_machine(slack: LocalSlack, visit: NewTab) -> None:
    ann = await visit(slack.core.url)
    await expect(ann.page.get_by_role("button", name="Jump to…")).to_contain_text("Ctrl K")
    mac = "Object.defineProperty(navigator, 'platform', { get: () => 'MacIntel' })"
    await ann.page.add_init_script(mac)

    await ann.page.reload()

    await expect(ann.page.get_by_role("button", name="Jump to…")).to_contain_text("⌘ K")
    await ann.page.get_by_role("button", name="Keyboard shortcuts").click()
    await expect(ann.page.get_by_role("dialog")).to_contain_text("⌥↑")
    await expect(ann.page.get_by_role("dialog").get_by_text("Ctrl")).to_have_count(0)


async def test_what_is_new_elsewhere_is_marked_until_it_was_read(slack: LocalSlack, visit: NewTab) -> None:
    ben = slack.people["ben"]
    ben.writes("C0LEADS00", "old news")
    ann = await visit(slack.core.url, "ann", "C0LEADS00")
    await expect(ann.messages.get_by_text("old news")).to_be_visible()
    await ann.link("general").click()

    ben.writes("C0LEADS00", "something new")
    await expect(ann.link("leads")).to_have_accessible_name("leads private unread")
    ben.writes("C0LEADS00", f"<@{slack.people['ann'].id}> look")
    await expect(ann.link("leads")).to_have_accessible_name("leads private 1 new")
    await ann.keeps("unread")
    await ann.link("leads").click()

    await expect(ann.link("leads")).to_have_accessible_name("leads private")
    lines = ann.messages.get_by_role("listitem")
    await expect(lines).to_contain_text(["Today", "old news", "New", "something new", "@Ann Archer look"])


async def test_a_link_to_a_message_opens_its_thread_and_shows_it(slack: LocalSlack, visit: NewTab) -> None:
    root = slack.people["ben"].writes("C0GENERAL", "a beginning")
    for number in range(40):
        reply = slack.people["ben"].writes("C0GENERAL", f"reply {number}", root)
    wanted = slack.thread("C0GENERAL", root)[3]
    assert reply != wanted.ts
    ann = await visit(slack.core.url)

    address = f"/archives/C0GENERAL/p{wanted.ts.replace('.', '')}?thread_ts={root}&as=ann"
    await ann.page.goto(slack.core.url + address)

    await expect(ann.thread.get_by_text("reply 2", exact=True)).to_be_in_viewport()
    await expect(ann.thread.get_by_text("reply 39", exact=True)).not_to_be_in_viewport()


async def test_a_message_for_one_person_is_seen_by_nobody_else_and_can_be_dismissed(
    slack: LocalSlack, visit: NewTab
) -> None:
    ann, ben = await visit(slack.core.url, "ann"), await visit(slack.core.url, "ben")

    await client_of(slack).chat_postEphemeral(channel="C0GENERAL", user=slack.people["ann"].id, text="Psst.")
    await client_of(slack).chat_postMessage(channel="C0GENERAL", text="Everybody!")

    await expect(ben.messages.get_by_text("Everybody!")).to_be_visible()
    await expect(ben.page.get_by_text("Psst.")).to_have_count(0)
    await expect(ann.page.get_by_text("Only visible to you")).to_be_visible()
    await ann.page.get_by_role("button", name="Dismiss").click()
    await expect(ann.messages.get_by_text("Psst.")).to_have_count(0)


async def test_it_is_said_that_the_app_is_not_there_and_what_was_written_reaches_it_later(
    slack: LocalSlack, visit: NewTab
) -> None:
    ann = await visit(slack.core.url)
    away = ann.page.get_by_text("Parley is not connected. What you write now reaches it when it is back.")
    await expect(away).to_be_visible()
    await ann.keeps("not-connected")
    await ann.writes("Is anybody there?")
    await expect(ann.messages.get_by_text("Is anybody there?")).to_be_visible()

    async with connected(app_on(slack), slack):
        await expect(away).to_have_count(0)
        await slack.until(lambda: [delivery.acked for delivery in slack.delivered("message")] == [True], 20)
    await expect(away).to_be_visible()


async def test_the_page_waits_for_a_playground_that_is_gone_and_keeps_the_draft(visit: NewTab) -> None:
    async with LocalSlack() as slack:
        ann = await visit(slack.core.url)
        await ann.composer.fill("half a sentence")
    await expect(ann.page.get_by_text("Reconnecting…", exact=True)).to_be_visible()
    send = ann.page.get_by_role("region", name="#general").get_by_role("button", name="Send")
    await expect(send).to_be_disabled()
    await ann.composer.press_sequentially(", and more")

    async with LocalSlack(port=int(slack.core.url.rpartition(":")[2])):
        await expect(send).to_be_enabled()
        await ann.composer.press("Enter")
        await expect(ann.messages.get_by_text("half a sentence, and more")).to_be_visible()
        ann.complaints.clear()  # it could not connect for a while, and said so
        await ann.page.close()
