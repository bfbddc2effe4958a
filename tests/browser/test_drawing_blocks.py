"""What each kind of block and element becomes on the page, and what it asks of the page when it is used."""

from typing import Any

import pytest
from playwright.async_api import expect

from tests.browser.sheet import Sheet
from tests.support.slack_app import actions, asking, boxes, button, mrkdwn, option, plain, radio, section, typed

pytestmark = pytest.mark.asyncio(loop_scope="session")

Json = dict[str, Any]
HERE = {"channel": "C1", "ts": "1.000001"}
TEAL = "data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"


def rich(*elements: Json) -> Json:
    return {"type": "rich_text", "elements": list(elements)}


def rich_section(*pieces: Json | str) -> Json:
    given = [{"type": "text", "text": piece} if isinstance(piece, str) else piece for piece in pieces]
    return {"type": "rich_text_section", "elements": given}


def task(number: int, title: str, status: str, **more: Any) -> Json:
    return {"type": "task_card", "task_id": f"t{number}", "title": title, "status": status, **more}


def about(fields: Json) -> Json:
    return {"surface": HERE, **fields}


async def test_a_section_shows_its_text_its_fields_and_what_stands_beside_it(sheet: Sheet) -> None:
    picture = {"type": "image", "image_url": TEAL, "alt_text": "a teal square"}
    fields = [mrkdwn("*Owner*\nAnn"), plain("*not bold*")]
    shown = await sheet.draw(section("Some *words*") | {"fields": fields, "accessory": picture})

    await expect(shown.locator("strong")).to_have_text(["words", "Owner"])
    await expect(shown.get_by_text("*not bold*")).to_be_visible()
    await expect(shown.get_by_role("img", name="a teal square")).to_be_visible()


async def test_headers_dividers_contexts_and_alerts_are_told_apart(sheet: Sheet) -> None:
    alert = {"type": "alert", "level": "warning", "text": mrkdwn("This cannot be *undone*.")}
    small = {"type": "context", "elements": [mrkdwn("small <https://a.b/|link>"), plain("and plain")]}
    header = {"type": "header", "text": plain("A header :rocket:")}
    shown = await sheet.draw(header, {"type": "divider"}, small, alert)

    await expect(shown.get_by_role("heading", name="A header rocket")).to_be_visible()
    await expect(shown.get_by_role("separator")).to_have_count(1)
    await expect(shown.get_by_role("link", name="link")).to_have_attribute("href", "https://a.b/")
    await expect(shown.get_by_role("note")).to_have_text("This cannot be undone.")


async def test_a_picture_that_cannot_be_shown_is_described(sheet: Sheet) -> None:
    broken = {"type": "image", "image_url": "data:image/png;base64,AAAA", "alt_text": "a cat", "title": plain("Cat")}
    script = {"type": "image", "image_url": "javascript:window.pwned=1", "alt_text": "a dog"}
    shown = await sheet.draw(broken, script)

    await expect(shown.get_by_text("Image: a cat")).to_be_visible()
    await expect(shown.get_by_text("Image: a dog")).to_be_visible()
    await expect(shown.locator("img")).to_have_count(0)


async def test_a_choice_is_kept_by_its_position(sheet: Sheet) -> None:
    one, several = asking(radio("Red", "Blue"), "one"), asking(boxes("Mon", "Tue", "Wed"), "several")
    filled = {"several": {"choice": {"selected_options": [option("Mon", "0"), option("Tue", "1")]}}}
    shown = await sheet.draw(one, several, form=filled)

    await shown.get_by_role("group", name="Your choice").first.get_by_role("radio", name="Blue").check()
    await shown.get_by_role("checkbox", name="Mon").uncheck()

    chosen = {"block_id": "one", "action_id": "choice", "value": 1}
    unchosen = {"block_id": "several", "action_id": "choice", "value": [1]}
    assert await sheet.told() == [["fill", about(chosen)], ["fill", about(unchosen)]]


async def test_a_text_field_says_what_it_is_for_what_is_wrong_and_how_much_fits(sheet: Sheet) -> None:
    field = asking(typed(max_length=10, placeholder=plain("In a word")), "why") | {"hint": plain("Everybody sees it.")}
    shown = await sheet.draw(field, errors={"why": "Say <why>."}, form={"why": {"other": {"value": "because"}}})
    box = shown.get_by_role("textbox", name="Your choice")

    await expect(box).to_have_value("because")
    await expect(box).to_have_accessible_description("Everybody sees it. Say <why>.")
    await expect(shown.get_by_text("optional")).to_be_visible()
    await box.fill("because of that")
    await expect(shown.get_by_text("5 too many")).to_be_visible()
    filled = {"block_id": "why", "action_id": "other", "value": "because of that"}
    assert await sheet.told() == [["fill", about(filled)]]


async def test_menus_and_dates_are_the_browsers_own(sheet: Sheet) -> None:
    menu = {"type": "static_select", "action_id": "menu", "placeholder": plain("Pick one")}
    menu["options"] = [option("First", "1"), option("Second", "2")]
    date = {"type": "datepicker", "action_id": "date", "initial_date": "2026-11-18"}
    shown = await sheet.draw(actions(menu, date))

    await shown.get_by_role("combobox", name="Pick one").select_option("Second")
    await expect(shown.locator("input[type=date]")).to_have_value("2026-11-18")
    await shown.locator("input[type=date]").fill("2026-12-24")

    picked = {"block_id": "buttons", "action_id": "menu", "value": 1}
    dated = {"block_id": "buttons", "action_id": "date", "value": "2026-12-24"}
    assert await sheet.told() == [["pick", about(picked)], ["pick", about(dated)]]


async def test_a_button_is_pressed_once_however_often_it_is_clicked(sheet: Sheet) -> None:
    shown = await sheet.draw(actions(button("Go", "go", style="primary")))
    go = shown.get_by_role("button", name="Go")

    await go.click()
    await expect(go).to_have_attribute("aria-busy", "true")
    await go.dispatch_event("click")
    assert await sheet.told() == [["click", about({"block_id": "buttons", "action_id": "go"})]]

    await sheet.settle()
    await expect(go).not_to_have_attribute("aria-busy", "true")


async def test_a_button_that_asks_first_does_nothing_after_a_no(sheet: Sheet) -> None:
    sure = {"title": plain("Sure?"), "text": plain("Really?"), "confirm": plain("Yes"), "deny": plain("No")}
    shown = await sheet.draw(actions(button("Delete", "gone", style="danger", confirm=sure)))

    await sheet.says_yes(False)
    await shown.get_by_role("button", name="Delete").click()
    assert await sheet.told() == [["confirm", "Sure?"]]
    await sheet.says_yes(True)
    await shown.get_by_role("button", name="Delete").click()
    assert [name for name, *_ in await sheet.told()] == ["confirm", "click"]
    await sheet.settle()


async def test_buttons_that_lead_somewhere_and_buttons_for_others(sheet: Sheet) -> None:
    good, bad = button("Docs", "docs", url="https://a.b/"), button("Bad", "bad", url="javascript:window.pwned=1")
    shown = await sheet.draw(actions(good, bad, button("Hidden", "hidden", visible_to_user_ids=["U9"])))

    await expect(shown.get_by_role("link", name="Docs")).to_have_attribute("href", "https://a.b/")
    await expect(shown.get_by_role("link")).to_have_count(1)
    await expect(shown.get_by_role("button", name="Bad")).to_be_visible()
    await expect(shown.get_by_text("Hidden")).to_have_count(0)


async def test_small_menus_thumbs_and_signs(sheet: Sheet) -> None:
    thumbs = {"type": "feedback_buttons", "action_id": "thumbs"}
    thumbs |= {"positive_button": {"text": plain("Good"), "value": "g"}}
    thumbs |= {"negative_button": {"text": plain("Bad"), "value": "b"}}
    menu = {"type": "overflow", "action_id": "more", "options": [option("Edit", "1"), option("Delete", "2")]}
    sign = {"type": "icon_button", "icon": "trash", "text": plain("Remove"), "action_id": "remove"}
    shown = await sheet.draw({"type": "context_actions", "elements": [thumbs, sign]}, actions(menu))

    await shown.get_by_role("button", name="Bad").click()
    await sheet.settle()
    await expect(shown.get_by_role("button", name="Bad")).to_have_attribute("aria-pressed", "true")
    await shown.get_by_role("button", name="Remove").click()
    await sheet.settle()
    await shown.locator("summary").click()
    await shown.get_by_role("button", name="Delete").click()

    pressed = {"block_id": "b0", "action_id": "thumbs", "value": "b"}
    removed = {"block_id": "b0", "action_id": "remove"}
    picked = {"block_id": "buttons", "action_id": "more", "value": 1}
    assert await sheet.told() == [["click", about(pressed)], ["click", about(removed)], ["pick", about(picked)]]


async def test_rich_text_is_drawn_with_its_styles_lists_quotes_and_code(sheet: Sheet) -> None:
    link = {"type": "link", "url": "https://a.b/", "text": "link"}
    words = rich_section("Rich ", {"type": "text", "text": "bold", "style": {"bold": True}}, link)
    users = rich_section({"type": "user", "user_id": "U1"}, {"type": "emoji", "name": "rocket"}, {"type": "strange"})
    outer = {"type": "rich_text_list", "style": "bullet", "elements": [rich_section("one")]}
    inner = {"type": "rich_text_list", "style": "ordered", "indent": 1, "elements": [rich_section("one a")]}
    quote = {"type": "rich_text_quote", "elements": [{"type": "text", "text": "quoted"}]}
    code = {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "let x = '<b>';"}]}
    shown = await sheet.draw(rich(words, users, outer, inner, quote, code))

    await expect(shown.locator("strong")).to_have_text("bold")
    await expect(shown.get_by_role("link", name="link")).to_be_visible()
    await expect(shown.locator("p").nth(1)).to_have_text("@Ann Archer🚀[strange]")
    await expect(shown.locator("ul > li > ol > li")).to_have_text("one a")
    await expect(shown.locator("blockquote")).to_have_text("quoted")
    await expect(shown.locator("pre")).to_have_text("let x = '<b>';")


async def test_a_plan_says_how_far_it_is_and_shows_what_is_being_done(sheet: Sheet) -> None:
    found = [{"type": "url", "url": "https://a.b/log", "text": "Changelog"}]
    tasks = [
        task(1, "Read the changelog", "complete", output=rich(rich_section("3 changes")), sources=found),
        task(2, "Ask where it goes", "in_progress", details=rich(rich_section("Waiting for Ann"))),
        task(3, "Publish", "error", output=rich(rich_section("403"))),
        task(4, "Announce it", "pending"),
    ]
    shown = await sheet.draw({"type": "plan", "title": "Preparing", "tasks": tasks})

    states = ["Complete: ", "In progress: ", "Failed: ", "Pending: "]
    titles = ["Read the changelog", "Ask where it goes", "Publish", "Announce it"]
    heads = [state + title for state, title in zip(states, titles, strict=True)]
    await expect(shown.locator(".task-head")).to_have_text(heads)
    await expect(shown.get_by_text("1 of 4")).to_be_visible()
    await expect(shown.get_by_text("Waiting for Ann")).to_be_visible()
    await expect(shown.get_by_text("3 changes")).to_be_hidden()
    await shown.get_by_text("Read the changelog").click()
    await expect(shown.get_by_role("link", name="Changelog")).to_have_attribute("href", "https://a.b/log")


async def test_tables_containers_and_cards_hold_what_is_in_them(sheet: Sheet) -> None:
    rows = [
        [{"type": "raw_text", "text": text} for text in row] for row in (("Service", "State"), ("api", "<b>ok</b>"))
    ]
    inside = section("inside *it*") | {"block_id": "inside"}
    container = {"type": "container", "title": plain("A container"), "child_blocks": [inside]}
    closed = container | {"title": plain("Closed"), "is_collapsible": True, "is_collapsed": True}
    closed["child_blocks"] = [section("in there")]
    card = {"type": "card", "title": plain("A card"), "body": mrkdwn("*its* body"), "actions": [button("Take", "take")]}
    cards = {"type": "carousel", "elements": [{"type": "card", "title": plain(f"Card {n}")} for n in (1, 2)]}
    shown = await sheet.draw({"type": "table", "rows": rows}, container, closed, card, cards)

    await expect(shown.get_by_role("columnheader")).to_have_text(["Service", "State"])
    await expect(shown.get_by_role("cell")).to_have_text(["api", "<b>ok</b>"])
    await expect(shown.get_by_role("region", name="A container")).to_contain_text("inside it")
    await expect(shown.get_by_text("in there")).to_be_hidden()
    await expect(shown.get_by_role("article").first.get_by_role("button", name="Take")).to_be_visible()
    await expect(shown.get_by_role("group", name="Cards").get_by_role("article")).to_have_text(["Card 1", "Card 2"])


async def test_what_nobody_knows_or_is_not_as_it_should_be_leaves_the_rest_to_be_seen(sheet: Sheet) -> None:
    strange = [
        {"type": "mystery"},
        {"type": "constructor"},
        actions({"type": "toString"}),
        {"type": "plan", "tasks": [None]},
    ]
    shown = await sheet.draw(*strange, {}, section("the rest"))

    await expect(shown.get_by_text("This block is not drawn here: mystery")).to_be_visible()
    await expect(shown.get_by_text("This element is not drawn here: toString")).to_be_visible()
    await expect(shown.get_by_text("the rest")).to_be_visible()
