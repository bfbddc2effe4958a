"""What people or the model write is text: nothing of it is ever run, loaded or followed."""

import re

import pytest
from playwright.async_api import expect

from tests.browser.conftest import NewTab

pytestmark = pytest.mark.asyncio(loop_scope="session")

ATTACKS = [
    "<img src=x onerror=window.pwned=1>",
    "<script>window.pwned=1</script>",
    "<a href='javascript:window.pwned=1'>here</a> [here](javascript:window.pwned=1)",
    "</div></main><style>*{display:none}</style>",
    "<javascript:window.pwned=1|click> <data:text/html,<script>window.pwned=1</script>|x>",
    "\u202etxet neddih\u202c " + "w" * 4_000,
]
FOREIGN = """() => ({
    pwned: window.pwned,
    elements: document.querySelectorAll("script:not([src^='/page/']), iframe, object, embed, img[src='x']").length,
    handlers: [...document.querySelectorAll("*")].filter(
        (node) => [...node.attributes].some((attribute) => attribute.name.startsWith("on"))).length,
    links: [...document.querySelectorAll("a[href]")].filter(
        (link) => !["http:", "https:", "mailto:"].includes(link.protocol)).length,
    wide: document.documentElement.scrollWidth > window.innerWidth,
})"""
NOTHING = {"pwned": None, "elements": 0, "handlers": 0, "links": 0, "wide": False}


async def test_hostile_words_of_people_are_shown_as_they_are(come: NewTab) -> None:
    ann, ben = await come("ann"), await come("ben")

    for attack in ATTACKS:
        await ann.writes(attack)

    await expect(ben.page.get_by_text("<script>window.pwned=1</script>", exact=True)).to_be_visible()
    await expect(ben.page.get_by_role("listitem").filter(has_text="txet neddih")).to_have_count(1)
    assert await ben.page.evaluate(FOREIGN) == NOTHING
    await ben.keeps("hostile-messages")


async def test_hostile_words_in_an_answer_come_back_as_text_everywhere(come: NewTab) -> None:
    ann = await come("ann")
    await ann.writes("@parley Help us choose a database")
    await ann.sees_form()

    await ann.other().fill(" ".join(ATTACKS)[:2_900])
    await ann.button("Submit").click()

    await ann.sees(re.compile("Answered by"))
    await ann.sees(re.compile("This is what I would do next"))
    assert await ann.page.evaluate(FOREIGN) == NOTHING
    await ann.keeps("hostile-answer")
