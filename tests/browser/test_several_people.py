"""Several people in several tabs: answering together, losing the race, and not being allowed."""

import re

import pytest
from playwright.async_api import expect

from tests.browser.conftest import NewTab

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_several_people_answer_one_ask_together(come: NewTab) -> None:
    ann, ben = await come("ann"), await come("ben")
    await ann.writes("@parley Plan the launch with us")
    await ann.sees_form()
    await ben.opens_thread()
    await ben.sees_form()
    await ben.others().nth(1).fill("Only to our friends")

    await ann.others().nth(0).fill("Next week")
    await ann.button("Submit").click()

    await ben.sees(re.compile("Still open"))
    await ben.sees("Next week")
    await expect(ben.others().nth(0)).to_have_value("Only to our friends")  # the first that is open now
    await ben.keeps("answering-together")


async def test_whoever_is_typing_when_somebody_else_answers_is_told_so_kindly(come: NewTab) -> None:
    ann, ben = await come("ann"), await come("ben")
    await ann.writes("@parley Help us choose a database")
    await ann.sees_form()
    await ben.opens_thread()
    await ben.sees_form()
    await ben.other().fill("I think that we")

    await ann.other().fill("Ann's choice")
    await ann.button("Submit").click()

    told = ben.page.get_by_text("This form has changed in the meantime. What you were typing was not sent.")
    await expect(told).to_be_visible()
    await ben.keeps("typing-when-it-was-answered")
    await expect(ben.page.get_by_text("no longer there")).to_have_count(0)
    await ann.sees(re.compile("Answered by"))
    await expect(ann.page.get_by_text("in the meantime")).to_have_count(0)


async def test_whoever_answers_second_is_told_who_was_first(come: NewTab) -> None:
    ann, ben = await come("ann"), await come("ben")
    await ann.writes("@parley Help us choose a database")
    await ann.sees_form()
    await ben.opens_thread()
    await ben.sees_form()
    await ann.lets_be_slow("chat.update", seconds=100)  # so that Ben still sees the form that Ann has answered
    await ann.other().fill("Ann's choice")
    await ann.button("Submit").click()
    await expect(ann.button("Submit")).to_be_enabled()  # again: her answer is taken
    await ben.other().fill("Ben's choice")
    await ben.button("Submit").click()

    await ben.sees(re.compile("Only visible to you"))
    await ben.sees(re.compile("Ann"))
    await ben.keeps("lost-the-race")
    await expect(ann.thread.get_by_text("Only visible to you")).to_have_count(0)
    await expect(ann.thread.get_by_text("Ben's choice")).to_have_count(0)


async def test_a_guest_is_refused_and_told_so_alone(come: NewTab) -> None:
    ann, gus = await come("ann"), await come("gus")
    await ann.writes("@parley Help us choose a database")
    await ann.sees_form()
    await gus.opens_thread()
    await gus.sees_form()

    await gus.other().fill("Mine")
    await gus.button("Submit").click()

    await gus.sees("Sorry, guests cannot do that here.")
    await gus.keeps("guest-refused")
    await expect(ann.button("Submit")).to_be_visible()
    await expect(ann.thread.get_by_text("Sorry, guests")).to_have_count(0)
