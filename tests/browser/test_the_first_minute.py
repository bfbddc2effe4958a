"""What a newcomer does first: says something, is asked, answers, and sees Parley go on."""

import re

import pytest
from playwright.async_api import expect

from tests.browser.conftest import NewTab

pytestmark = pytest.mark.asyncio(loop_scope="session")

LOOKS = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {"color_scheme": "light", "viewport": {"width": 390, "height": 844}, "has_touch": True},
}


@pytest.mark.parametrize("look", LOOKS)
async def test_a_question_is_answered_with_other_and_the_run_goes_on(new_tab: NewTab, look: str) -> None:
    ann = await new_tab("ann", **LOOKS[look])
    await expect(ann.page.get_by_role("heading", name="Welcome to #general")).to_be_visible()
    await ann.keeps(f"{look}-1-welcome")

    await ann.writes("@parley Help us choose a database for the new service")
    if look == "phone":  # where a thread is a screen of its own
        await ann.opens_thread()
    await ann.sees_form()
    await ann.keeps(f"{look}-2-question")
    await ann.other().fill("CockroachDB, as the others do")
    await ann.keeps(f"{look}-3-other")
    await ann.button("Submit").click()

    await ann.sees("✓ Answered by Ann Archer")
    await ann.sees(re.compile("CockroachDB, as the others do” it is"))
    await expect(ann.button("Submit")).to_have_count(0)
    await ann.keeps(f"{look}-4-receipt-and-reply")


async def test_a_suggested_prompt_starts_a_run_with_one_click(new_tab: NewTab) -> None:
    ann = await new_tab("ann")

    await ann.page.get_by_role("button", name="Plan the launch with us").click()

    await ann.sees_form()
    await expect(ann.thread.get_by_role("checkbox").first).to_be_visible()
    await ann.keeps("launch-questions")


@pytest.mark.parametrize(
    ("person", "place", "setting"),
    [("gus", "C0GENERAL", "PARLEY_ALLOW_GUESTS"), ("eve", "C0PARTNER", "PARLEY_ALLOW_EXTERNALS")],
)
async def test_guests_and_outsiders_read_that_they_are_refused_and_what_allows_them(
    new_tab: NewTab, person: str, place: str, setting: str
) -> None:
    tab = await new_tab(person, place)

    note = tab.page.get_by_role("region", name="Welcome").get_by_text(f"{setting}=true in .env allows them.")
    await expect(note).to_contain_text("by default")
    await tab.keeps(f"welcome-{person}")
    await tab.page.get_by_role("button", name="Plan the launch with us").first.click()

    await tab.sees(re.compile("Sorry, "))


async def test_an_approval_is_given_on_its_card(come: NewTab) -> None:
    ann = await come("ann")
    await ann.writes("@parley Delete the old staging environment")
    await expect(ann.button("Approve")).to_be_visible()
    await ann.keeps("approval")

    await ann.button("Approve").click()

    await ann.sees("✓ Approved by ann")
    await expect(ann.button("Approve")).to_have_count(0)


async def test_a_form_can_be_filled_in_and_sent_with_the_keyboard_alone(come: NewTab) -> None:
    ann = await come("ann")
    await ann.writes("@parley Help us choose a database")
    await ann.sees_form()

    await ann.thread.get_by_role("radio").first.focus()
    for key in ("ArrowDown", "Tab", "Tab", "Enter"):  # the second option, past Other, to Submit
        await ann.page.keyboard.press(key)

    await ann.sees("✓ Answered by ann")
    await ann.sees(re.compile("SQLite it is"))
