"""Links into this workspace, and addresses that lead nowhere: one stays who one is, and something is always shown."""

import pytest
from playwright.async_api import expect

from bot.playground.server import LocalSlack
from tests.browser.conftest import NewTab
from tests.support.slack_app import actions, button, client_of, section

pytestmark = pytest.mark.asyncio(loop_scope="session")

GENERAL, RANDOM = "C0GENERAL", "C0RANDOM0"


async def link_to_a_reply(slack: LocalSlack) -> str:
    root = slack.people["ann"].writes(GENERAL, "a beginning")
    reply = slack.people["ann"].writes(GENERAL, "the reply", root)
    return str((await client_of(slack).chat_getPermalink(channel=GENERAL, message_ts=reply))["permalink"])


async def test_a_link_opened_in_another_tab_leaves_one_who_one_is(slack: LocalSlack, visit: NewTab) -> None:
    url = await link_to_a_reply(slack)
    view = {"type": "home", "blocks": [section(f"<{url}|There>"), actions(button("Open", url=url))]}
    await client_of(slack).views_publish(user_id=slack.people["ben"].id, view=view)
    ben = await visit(slack.core.url, "ben", "home")

    for name in ("Open", "There"):
        async with ben.page.context.expect_page() as opened:
            await ben.page.get_by_role("link", name=name).click(modifiers=["ControlOrMeta"])
        tab = await opened.value
        await expect(tab.get_by_role("button", name="You are Ben Bauer")).to_be_visible()
        await expect(tab.get_by_role("complementary", name="Thread").get_by_text("the reply")).to_be_visible()
    ben.complaints.clear()  # nobody acknowledges the click here


async def test_a_link_stays_in_the_page_by_either_name_of_this_machine(slack: LocalSlack, visit: NewTab) -> None:
    url = await link_to_a_reply(slack)
    view = {"type": "home", "blocks": [section(f"<{url}|There>"), actions(button("Open", url=url))]}
    await client_of(slack).views_publish(user_id=slack.people["ann"].id, view=view)
    ann = await visit(slack.core.url.replace("127.0.0.1", "localhost"), "ann", "home")
    await expect(ann.page.get_by_role("link", name="Open").locator(".icon-external")).to_have_count(0)

    for name in ("Open", "There"):
        await ann.page.get_by_role("link", name=name).click()
        await expect(ann.thread.get_by_text("the reply")).to_be_visible()
        await ann.link("Parley Home").click()
    assert len(ann.page.context.pages) == 1


async def test_the_last_one_to_look_is_who_comes_back_without_a_name(slack: LocalSlack, visit: NewTab) -> None:
    ben = await visit(slack.core.url, "ben")
    await expect(ben.page.get_by_role("button", name="You are Ben Bauer")).to_be_visible()

    await ben.page.goto(f"{slack.core.url}/#{RANDOM}")

    await expect(ben.page.get_by_role("button", name="You are Ben Bauer")).to_be_visible()
    await expect(ben.page).to_have_url(f"{slack.core.url}/?as=ben#{RANDOM}")


async def test_who_is_not_known_here_is_told_who_they_are(slack: LocalSlack, visit: NewTab) -> None:
    zoe = await visit(slack.core.url, "zoe")

    await expect(zoe.page.get_by_text("There is nobody called “zoe” here: you are Ann Archer.")).to_be_visible()
    await expect(zoe.page).to_have_url(f"{slack.core.url}/?as=ann#{GENERAL}")


async def test_an_address_that_is_none_still_shows_the_page(slack: LocalSlack, visit: NewTab) -> None:
    ann = await visit(slack.core.url, "ann", "%E0%A4%A")

    await expect(ann.page.get_by_role("heading", name="Welcome to #general")).to_be_visible()


async def test_a_mention_where_the_app_is_not_leads_to_an_invitation(slack: LocalSlack, visit: NewTab) -> None:
    ann, ben = await visit(slack.core.url, "ann", RANDOM), await visit(slack.core.url, "ben", RANDOM)
    words = "Parley is not in #random, so it cannot answer there."

    await ann.writes("@parley Are you there?")
    await expect(ann.page.get_by_text(words)).to_be_visible()
    await ann.keeps("invitation")
    await expect(ben.messages.get_by_text("Are you there?")).to_be_visible()
    await expect(ben.page.get_by_text(words)).to_be_hidden()
    await ann.page.get_by_role("button", name="Invite it").click()

    await expect(ann.page.get_by_text(words)).to_be_hidden()
    await expect(ann.page.get_by_text("Parley is in #random now.")).to_be_visible()
    assert slack.core.workspace.bot_user_id in slack.core.workspace.channels[RANDOM].members


async def test_what_begins_with_a_slash_is_no_message(slack: LocalSlack, visit: NewTab) -> None:
    ann = await visit(slack.core.url, "ann", RANDOM)
    await expect(ann.page.get_by_text("Without Parley")).to_be_visible()

    await ann.writes("/remind me")
    await expect(ann.page.get_by_text("There are no slash commands here")).to_be_visible()
    await expect(ann.composer).to_have_value("/remind me")
    await ann.writes("/invite @parley ")

    await expect(ann.page.get_by_text("Without Parley")).to_be_hidden()
    await expect(ann.composer).to_have_value("")
    assert slack.core.workspace.messages.get(RANDOM, {}) == {}
