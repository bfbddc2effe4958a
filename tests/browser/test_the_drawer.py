"""The developers' drawer: each of its tools does what it says, and what comes of it can be seen on the page."""

import json
import re

import pytest
from playwright.async_api import Locator, expect

from tests.browser.conftest import NewTab
from tests.support.browser import Tab
from tests.support.story_world import StoryWorld

pytestmark = pytest.mark.asyncio(loop_scope="session")

QUESTION = "@parley Help us choose a database"


async def press(tab: Tab, button: str) -> None:
    """In the toolbox."""
    drawer = await tab.opens_tools("Toolbox")
    await drawer.get_by_role("button", name=button).first.click()


async def plan_failure(tab: Tab, method: str, how: str, times: int = 1) -> None:
    tool = (await tab.opens_tools("Toolbox")).get_by_role("group", name="Let a call fail")
    await tool.get_by_label("Method").fill(method)
    await tool.get_by_role("combobox", name="What happens").select_option(how)
    await tool.get_by_label("Times").fill(str(times))
    await tool.get_by_role("button", name="Plan it").click()
    await expect(bars(tab).get_by_text(re.compile(f"Planned trouble: .*{method}"))).to_be_visible()


def bars(tab: Tab) -> Locator:
    return tab.page.locator(".bars")


def rows(drawer: Locator, name: str = "") -> Locator:
    return drawer.get_by_role("list", name="Log, newest first").get_by_role("button", name=name)


async def test_the_log_shows_what_went_to_and_fro_and_can_be_narrowed_down(come: NewTab, stories: StoryWorld) -> None:
    ann = await come()
    drawer = await ann.opens_tools("Log")
    await ann.writes(QUESTION)
    await ann.sees_form()
    await stories.at_rest()

    await expect(rows(drawer, "app_mention")).to_have_count(1)
    await drawer.get_by_role("button", name="Calls", exact=True).click()
    await expect(rows(drawer, "app_mention")).to_have_count(0)
    await expect(rows(drawer, "chat.postMessage")).to_have_count(2)  # the words, and the form
    await drawer.get_by_role("searchbox", name="Filter the log").fill("which database should")
    await expect(rows(drawer)).to_have_count(1)  # found by its content
    await drawer.get_by_role("button", name="Interactions").click()
    await expect(drawer.get_by_text("Nothing yet.")).to_be_visible()
    await drawer.get_by_role("searchbox", name="Filter the log").fill("")
    await ann.button("Skip").click()
    await expect(rows(drawer, "block_actions")).to_have_count(1)
    await ann.sees(re.compile("You left it to me"))
    await ann.keeps("drawer-log")
    await drawer.get_by_role("button", name="All", exact=True).click()
    await expect(rows(drawer, "app_mention")).to_have_count(1)
    assert await ann.page.evaluate("document.documentElement.scrollHeight <= innerHeight")  # the page itself stays put


async def test_the_details_of_a_line_are_its_whole_json(come: NewTab) -> None:
    ann = await come()
    drawer = await ann.opens_tools("Log")
    await ann.writes(QUESTION)
    await ann.sees_form()
    details = drawer.get_by_role("region", name="Details")
    await expect(details.get_by_text("Choose a line")).to_be_visible()

    await rows(drawer, "app_mention").click()

    shown = json.loads(await details.locator("pre").inner_text())
    assert shown["payload"]["event"]["type"] == "app_mention"
    await rows(drawer, "chat.postMessage").first.click()
    shown = json.loads(await details.locator("pre").inner_text())
    assert (shown["status"], shown["answer"]["ok"]) == (200, True)
    assert "Which database" in json.dumps(shown["request"])


async def test_an_event_that_comes_again_is_not_acted_on_again(come: NewTab, stories: StoryWorld) -> None:
    ann = await come()
    drawer = await ann.opens_tools("Log")
    await ann.writes(QUESTION)
    await ann.sees_form()

    await rows(drawer, "app_mention").click()
    await drawer.get_by_role("button", name="Redeliver").click()

    await expect(ann.page.get_by_text("Delivered once more.")).to_be_visible()
    await expect(rows(drawer, "app_mention")).to_have_count(2)
    await expect(rows(drawer, "attempt 2")).to_have_count(1)
    await stories.dealt_with()
    await stories.at_rest()
    await expect(ann.button("Submit")).to_have_count(1)
    assert len(stories.model.requests) == 1


@pytest.mark.parametrize("how", ["Drop the sockets", "Ask to reconnect"])
async def test_parley_comes_back_after_its_connection_was_lost(come: NewTab, stories: StoryWorld, how: str) -> None:
    ann = await come()
    before = len(stories.slack.called("apps.connections.open"))

    await press(ann, how)
    await ann.writes(QUESTION)

    await ann.sees_form()
    assert len(stories.slack.called("apps.connections.open")) > before


@pytest.mark.parametrize("how", ["error", "500", "429", "cut", "after"])
async def test_a_call_that_fails_once_costs_nobody_a_reply(come: NewTab, stories: StoryWorld, how: str) -> None:
    ann = await come()
    await plan_failure(ann, "chat.postMessage", how)

    await ann.writes(QUESTION)
    await ann.sees_form()

    await stories.at_rest()
    await expect(ann.button("Submit")).to_have_count(1)
    await expect(bars(ann).get_by_text("Planned trouble")).to_have_count(0)  # it was used up
    failed = [call for call in stories.slack.calls if call.method == "chat.postMessage" and not call.ok]
    assert how == "after" or failed


async def test_a_slow_call_is_answered_when_its_time_has_passed(come: NewTab, stories: StoryWorld) -> None:
    ann = await come()
    await ann.lets_be_slow("chat.postMessage", seconds=100)

    await ann.writes(QUESTION)
    await expect(bars(ann).get_by_text("Planned trouble")).to_have_count(0)  # the call has begun to wait
    assert not stories.slack.called("chat.postMessage")
    await expect(ann.button("Submit")).to_have_count(0)  # it comes with that call, or after it
    await press(ann, "1 hour")

    await ann.sees_form()


async def test_the_rate_limits_can_be_switched_on_and_everybody_sees_it(come: NewTab, stories: StoryWorld) -> None:
    ann, ben = await come("ann"), await come("ben")
    switch = (await ann.opens_tools("Toolbox")).get_by_role("switch", name="Limit rates")

    await switch.check()
    await expect(bars(ben).get_by_text("rate limits on")).to_be_visible()
    await ann.writes(QUESTION)
    await ann.sees_form()
    await switch.uncheck()

    await expect(bars(ben).get_by_text("rate limits on")).to_have_count(0)
    assert not stories.slack.core.rates.on


async def test_everything_that_was_planned_is_healed_at_once(come: NewTab, stories: StoryWorld) -> None:
    ann = await come()
    await plan_failure(ann, "chat.update", "500", times=3)
    await plan_failure(ann, "chat.startStream", "cut")
    switch = (await ann.opens_tools("Toolbox")).get_by_role("switch", name="Limit rates")
    await switch.check()
    await expect(bars(ann).get_by_text(re.compile(r"\(3 times\).*rate limits on"))).to_be_visible()

    await bars(ann).get_by_role("button", name="Heal everything").click()

    await expect(bars(ann).get_by_text("Planned trouble")).to_have_count(0)
    await expect(switch).not_to_be_checked()
    await expect(ann.page.get_by_text("Nothing is planned to go wrong.")).to_be_visible()
    assert stories.slack.core.faults.planned == []


async def test_after_a_day_parley_reminds_of_an_open_question(come: NewTab) -> None:
    ann = await come()
    await ann.writes(QUESTION)
    await ann.sees_form()

    await press(ann, "1 day")

    await ann.sees(re.compile("Still waiting for an answer"))
    await expect(ann.page.get_by_text("The clock is 24 hours ahead.")).to_be_visible()
    await ann.keeps("reminder")


async def test_a_form_can_be_composed_changed_and_sent_by_hand(come: NewTab) -> None:
    ann = await come()
    await ann.writes(QUESTION)
    await ann.sees_form()
    drawer = await ann.opens_tools("Form by hand")
    await ann.other().fill("words that will be changed")
    await drawer.get_by_role("combobox", name="Button").select_option("Submit")

    await drawer.get_by_role("button", name="Compose").click()
    field = drawer.get_by_role("textbox", name="Payload")
    await expect(field).to_have_value(re.compile("words that will be changed"))
    composed = await field.input_value()
    assert json.loads(composed)["type"] == "block_actions"
    await field.fill(composed[:-1])
    await expect(drawer.get_by_role("alert")).to_contain_text("Not JSON yet")
    await field.fill(composed.replace("words that will be changed", "words of a developer"))
    await drawer.get_by_role("button", name="Send").click()

    await expect(drawer.get_by_role("region", name="What came back")).to_contain_text("Acknowledged.")
    await ann.sees(re.compile("words of a developer” it is"))
    await ann.keeps("form-by-hand")


async def test_a_payload_that_makes_no_sense_is_refused_with_a_sentence(come: NewTab) -> None:
    ann = await come()
    drawer = await ann.opens_tools("Form by hand")
    await expect(drawer.get_by_text("No message with buttons is in sight yet.")).to_be_visible()
    await expect(drawer.get_by_role("button", name="Compose")).to_be_disabled()

    await drawer.get_by_role("textbox", name="Payload").fill('{"type": "event_callback"}')
    await drawer.get_by_role("button", name="Send").click()

    await expect(drawer.get_by_role("region", name="What came back")).to_contain_text("The payload's type must be")


async def test_the_drawer_is_opened_with_a_key_and_stays_as_it_was_left(come: NewTab) -> None:
    ann = await come()
    drawer = ann.page.get_by_role("region", name="Developer tools")
    await expect(ann.page.get_by_role("textbox", name="Message #general")).to_be_focused()

    await ann.page.keyboard.press("Control+.")
    await drawer.get_by_role("tab", name="Log").press("ArrowRight")
    await expect(drawer.get_by_role("tab", name="Toolbox")).to_have_attribute("aria-selected", "true")
    await ann.page.reload()

    await expect(drawer.get_by_role("group", name="Rate limits")).to_be_visible()
    await drawer.get_by_role("button", name="Close developer tools").click()
    await expect(drawer).to_be_hidden()
