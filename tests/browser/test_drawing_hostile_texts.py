"""Texts made to break out, to mislead or to wear the page down: they are drawn, as text."""

import pytest
from playwright.async_api import expect

from tests.browser.sheet import Sheet
from tests.support.slack_app import actions, button, mrkdwn, plain

pytestmark = pytest.mark.asyncio(loop_scope="session")

ATTACKS = [
    "<script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "<svg/onload=window.pwned=1>",
    "<iframe srcdoc='<script>parent.pwned=1</script>'></iframe>",
    "</div></main></body><style>*{display:none}</style><base href=//evil.example>",
    "<a href='javascript:window.pwned=1'>x</a> <math><mtext></mtext></math>",
    "\"><script>window.pwned=1</script> ' onclick=window.pwned=1 x='",
    "[x](javascript:window.pwned=1) [x](<javascript:window.pwned=1>) [x](JAVASCRIPT&colon;alert(1))",
    "[x](java\tscript:window.pwned=1) [x](\x01javascript:window.pwned=1) [x]( javascript:window.pwned=1 )",
    "[x](data:text/html;base64,PHNjcmlwdD4=) ![x](data:text/html,x) ![x](javascript:window.pwned=1) [x](vbscript:1)",
    "<javascript:window.pwned=1|x> <JaVaScRiPt:window.pwned=1> <data:text/html,<script>|x> <file:///etc/passwd|x>",
    '<https://a.b/?"onmouseover=window.pwned=1|x> <https://a.b/\'><script>|x> https://a.b/"onclick="window.pwned=1',
    '<@U1"onclick=window.pwned=1> <#C1|<b>x</b>> <!here|<script>> <!date^1^{date}^javascript:alert(1)|x>',
    "`<script>window.pwned=1</script>` ```<script>window.pwned=1</script>```",
    "| <script>window.pwned=1</script> | b |\n|---|---|\n| [x](javascript:1) | <img src=x onerror=window.pwned=1> |",
    "> <script>window.pwned=1</script>\n- [x] <iframe src=javascript:window.pwned=1>\n# <b onclick=1>x</b>",
    "&lt;script&gt;window.pwned=1&lt;/script&gt; &#60;script&#62; &#x3c;script&#x3e; &#0; &#xd800; &#9999999;",
    "\u202etxet neddih\u202c \u2066x \u200b\u200d\ufeff \x00 \ud7ff \U000e0041 " + "w" * 2_000,
    "{{constructor.constructor('window.pwned=1')()}} ${window.pwned=1} :constructor: :__proto__: <@__proto__>",
]

LENGTH = 100_000
LONG = {
    "stars": "*" * LENGTH,
    "open stars": "*a " * (LENGTH // 3),
    "mixed markers": "*a **b _c " * (LENGTH // 10),
    "nested markers": "*a **a " * (LENGTH // 14) + "a** a* " * (LENGTH // 14),
    "brackets": "[" * LENGTH,
    "open links": "[a](<b" * (LENGTH // 6),
    "titles": '[a](b "' * (LENGTH // 7),
    "growing ticks": "".join("`" * n + "a" for n in range(440)),
    "fences": "```\n" * (LENGTH // 4),
    "deep quotes": ("> " * 20 + "a\n") * (LENGTH // 42),
    "deep lists": "".join(" " * 2 * n + "- a\n" for n in range(310)),
    "wide table": "|a" * 20_000 + "\n" + "|-" * 20_000 + "\n" + "|\n" * 9_000,
    "pipes": "|\n|-\n" * (LENGTH // 5),
    "entities": "&#" * (LENGTH // 2),
    "angles": "<a" * (LENGTH // 2),
    "colons": ":aaaa" * (LENGTH // 5),
    "addresses": "http://" * (LENGTH // 7),
    "parentheses": "http://a" + ")" * LENGTH,
    "spaces": "# a" + " " * LENGTH,
    "lines": "\n" * LENGTH,
    "override": "\u202e" * LENGTH,
    "scripts": "<script>window.pwned=1</script>" * (LENGTH // 31),
}


@pytest.mark.parametrize("kind", ["mrkdwn", "markdown"])
async def test_nothing_of_a_hostile_text_becomes_more_than_text(sheet: Sheet, kind: str) -> None:
    await sheet.write(kind, *ATTACKS)

    await expect(sheet.paper.get_by_text("<script>window.pwned=1</script>").first).to_be_visible()
    assert await sheet.foreign() == []


@pytest.mark.parametrize("attack", ATTACKS)
async def test_a_hostile_text_is_harmless_wherever_blocks_have_room_for_it(sheet: Sheet, attack: str) -> None:
    option = {"text": plain(attack), "value": attack, "description": plain(attack)}
    choice = {"type": "radio_buttons", "action_id": attack, "options": [option]}
    words = {"type": "rich_text_section", "elements": [{"type": "text", "text": attack}]}
    link = {"type": "rich_text_section", "elements": [{"type": "link", "url": attack, "text": attack}]}
    source = {"type": "url", "url": attack, "text": attack}
    await sheet.draw(
        {"type": "header", "text": plain(attack)},
        {"type": "section", "text": mrkdwn(attack), "fields": [plain(attack)]},
        {"type": "context", "elements": [mrkdwn(attack)]},
        {"type": "markdown", "text": attack},
        {"type": "input", "block_id": attack, "label": plain(attack), "hint": plain(attack), "element": choice},
        {"type": "image", "image_url": attack, "alt_text": attack, "title": plain(attack)},
        {"type": "rich_text", "elements": [words, link]},
        {"type": "task_card", "task_id": attack, "title": attack, "status": attack, "sources": [source]},
        {"type": "table", "rows": [[{"type": "raw_text", "text": attack}]], "column_settings": [{"align": attack}]},
        {"type": "alert", "level": attack, "text": plain(attack)},
        {"type": attack, "text": plain(attack)},
        actions(button(attack, attack, url=attack, style=attack, accessibility_label=attack)),
        errors={attack: attack},
    )

    assert await sheet.foreign() == []


@pytest.mark.parametrize("kind", ["mrkdwn", "markdown"])
@pytest.mark.parametrize("name", LONG)
async def test_a_very_long_text_is_drawn_and_not_too_deep(sheet: Sheet, kind: str, name: str) -> None:
    """How long it takes is not looked at here; what grows with its square would not come back at all."""
    assert await sheet.depth(kind, LONG[name]) < 60
