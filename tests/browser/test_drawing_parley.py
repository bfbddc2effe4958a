"""What Parley's own blocks look like: its forms, receipts, approvals and replies, its Home, and its modals."""

import json
from typing import Any

import pytest
from playwright.async_api import expect

from agent.core.asks import Ending, OpenAsk, ShownAsk
from agent.core.questions import Ask, Question, question
from agent.core.transcript import ToolCall
from agent.core.values import Person
from bot.blocks import approval, reply
from bot.blocks.form import form, questions_view
from bot.blocks.home import Decided, Waiting, home
from bot.blocks.receipt import receipt
from tests.browser.sheet import Sheet

pytestmark = pytest.mark.asyncio(loop_scope="session")

ANN = Person(id="U1", name="Ann")
EVIL = Person(id="U2", name="<script>window.pwned=1</script>\u202egnp.exe")
WHERE = question("Where to?", ("Staging", "safe to break"), "Production", header="Target", default="Staging")
DAYS = question("Which days?", "Monday", "Tuesday", multiSelect=True, allowCustom=False)
WHY = question("Why?")
HOSTILE = "<script>window.pwned=1</script> <img src=x onerror=window.pwned=1> <javascript:alert(1)|x> *a _b \u202eRTL"
ATTACK = question(HOSTILE, (HOSTILE, HOSTILE), "</label><b>x</b>", header="<b>H</b>*_~")
NOON = 1_763_467_200


def shown(*questions: Question, answers: dict[int, str] | None = None, by: Person = ANN) -> ShownAsk:
    ask = Ask(questions=questions)
    opened, _ = OpenAsk.of("000001000", ask).taking(answers or {}, by)
    return ShownAsk(ask, opened)


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(id="000001000", name=name, arguments=json.dumps(arguments))


def ending(how: Any, **more: Any) -> Ending:
    return Ending(call_id="c", how=how, **more)


DROP = call("confirm_action", action="Drop the table users", details="It has 41 203 rows.\n*Really* :tada:")


async def test_a_form_names_each_question_with_its_options_and_other(sheet: Sheet) -> None:
    drawn = await sheet.draw(*form(shown(WHERE, DAYS, WHY)).blocks)

    await expect(drawn.get_by_role("radio")).to_have_count(2)
    await expect(drawn.get_by_role("radio", name="Staging")).to_have_accessible_description("safe to break")
    await expect(drawn.get_by_role("checkbox", name="Tuesday")).to_be_visible()
    await expect(drawn.get_by_role("textbox")).to_have_count(2)  # Other of the first, and the answer to the last
    await expect(drawn.get_by_role("button")).to_have_text(["Submit", "Skip", "Cancel"])
    assert await sheet.foreign() == []


async def test_a_receipt_tells_what_was_answered_and_has_nothing_left_to_press(sheet: Sheet) -> None:
    answered = shown(WHERE, WHY, answers={0: "Staging", 1: "Mind the cache.\nAnd the queue."})
    drawn = await sheet.draw(*receipt(answered, ending("answered")).blocks)

    await expect(drawn.get_by_text("Where to?")).to_be_visible()
    await expect(drawn.get_by_text("Staging")).to_be_visible()
    await expect(drawn.get_by_text("And the queue.")).to_be_visible()
    await expect(drawn.locator("button, input, textarea")).to_have_count(0)


async def test_an_approval_shows_what_is_to_be_done_to_the_letter(sheet: Sheet) -> None:
    drawn = await sheet.draw(*approval.card(DROP).blocks)

    await expect(drawn.get_by_text("*Really* :tada:")).to_be_visible()
    await expect(drawn.get_by_role("button", name="Approve")).to_be_visible()
    await expect(drawn.get_by_role("button", name="Deny")).to_be_visible()
    await expect(drawn.get_by_role("textbox")).to_have_count(1)  # why not

    denied = ending("denied", by=ANN, words="Not before the backup.")
    drawn = await sheet.draw(*approval.closed(DROP, denied).blocks)
    await expect(drawn.get_by_text("Not before the backup.")).to_be_visible()
    await expect(drawn.locator("button, input, textarea")).to_have_count(0)


async def test_the_arguments_of_a_tool_are_shown_with_their_line_breaks(sheet: Sheet) -> None:
    drawn = await sheet.draw(*approval.card(call("deploy", script="set -e\nmake <all>", flags={"n": [1]})).blocks)

    text = await drawn.inner_text()
    assert "set -e\n" in text
    assert "make <all>" in text


async def test_a_reply_is_drawn_as_it_was_written(sheet: Sheet) -> None:
    words = "# Title\n\nSome **bold** words, see [the docs](https://a.b/)."
    text = f"{words}\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```\nx < y\n```"
    drawn = await sheet.draw(*reply.reply(text).blocks)

    await expect(drawn.get_by_role("heading", name="Title")).to_be_visible()
    await expect(drawn.locator("strong")).to_have_text("bold")
    await expect(drawn.get_by_role("link", name="the docs")).to_be_visible()
    await expect(drawn.get_by_role("cell")).to_have_text(["1", "2"])
    await expect(drawn.locator("pre")).to_have_text("x < y")


async def test_home_leads_to_what_waits_and_tells_what_was_decided(sheet: Sheet) -> None:
    url = f"{sheet.address}/archives/C1/p1763467200000002?thread_ts=1763467200.000001"
    view = home([Waiting("Where to?", "C1", NOON, url)], [Decided("Which days?", "Monday", ANN, NOON, "C1", url)])
    drawn = await sheet.draw(*view["blocks"], surface={"view": "V1"})

    await expect(drawn.get_by_text("Where to?")).to_be_visible()
    await expect(drawn.get_by_text("Monday")).to_be_visible()
    await drawn.locator("a.button").click()
    opened = [given for name, *given in await sheet.told() if name == "thread"]
    assert opened == [["C1", "1763467200.000001", "1763467200.000002"]]
    await sheet.settle()


async def test_the_modals_have_everything_in_them(sheet: Sheet) -> None:
    long = question("Which plan? " + "It is a long story. " * 100, *[f"Option {n}: {'words ' * 20}" for n in range(4)])
    drawn = await sheet.draw(*questions_view(Ask(questions=(long, WHERE)))["blocks"], surface={"view": "V1"})
    await expect(drawn).to_contain_text("It is a long story. " * 100)
    await expect(drawn).to_contain_text("Option 3: words words")

    drawn = await sheet.draw(*approval.details_view(DROP)["blocks"], surface={"view": "V2"})
    await expect(drawn).to_contain_text("It has 41 203 rows.")


async def test_hostile_words_stay_words_in_everything_that_parley_shows(sheet: Sheet) -> None:
    answered = shown(ATTACK, WHY, answers={0: HOSTILE}, by=EVIL)
    link = f"{sheet.address}/archives/C1/p1763467200000002"
    everything = [
        *form(answered).blocks,
        *form(shown(ATTACK, WHY)).blocks,
        *receipt(answered, ending("cancelled", by=EVIL)).blocks,
        *approval.card(call(HOSTILE[:60], **{HOSTILE: HOSTILE})).blocks,
        *approval.closed(DROP, ending("denied", by=EVIL, words=HOSTILE)).blocks,
        *reply.reply(HOSTILE).blocks,
        *home([Waiting(HOSTILE, "C1", NOON, link)], [Decided(HOSTILE, HOSTILE, EVIL, NOON, "C1", link)])["blocks"],
    ]
    drawn = await sheet.draw(*everything)

    await expect(drawn.get_by_text("<script>window.pwned=1</script>").first).to_be_visible()
    assert await sheet.foreign() == []
