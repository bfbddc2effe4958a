"""Approvals: what is to be done, to the letter, and who decided."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.asks import Ending, How
from agent.core.transcript import ToolCall
from agent.core.values import Person
from bot.blocks import limits
from bot.blocks.approval import card, closed, details_view
from bot.blocks.parts import Block, Rendered
from bot.playground.blocks import faults

ANN = Person(id="U1", name="Ann")
LINE: Block = {"type": "divider"}


def confirm(action: str, details: str = "") -> ToolCall:
    given = {"action": action, "details": details}
    return ToolCall(id="000001000", name="confirm_action", arguments=json.dumps(given))


def deploy(**arguments: Any) -> ToolCall:
    return ToolCall(id="000001000", name="deploy", arguments=json.dumps(arguments))


def literal(text: str) -> Block:
    return {"type": "section", "text": {"type": "plain_text", "text": text, "emoji": False}}


def mrkdwn(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def buttons(rendered: Rendered) -> list[str]:
    return [b["text"]["text"] for block in rendered.blocks if block["type"] == "actions" for b in block["elements"]]


def check(rendered: Rendered) -> None:
    assert faults(rendered.blocks, "message") == []
    assert len(json.dumps(rendered.blocks, ensure_ascii=False)) < 13_000
    assert "<" not in rendered.text


def test_the_card_says_what_is_to_be_done_and_offers_approve_and_deny() -> None:
    rendered = card(confirm("Drop the table <users>", "It cannot be undone.\n*Really*"))

    assert rendered.blocks == [
        mrkdwn("*Needs your approval*"),
        literal("Drop the table <users>"),
        literal("It cannot be undone.\n*Really*"),
        {
            "type": "input",
            "block_id": "reason/000001000",
            "optional": True,
            "label": {"type": "plain_text", "text": "If you deny it: why? The agent will read this."},
            "element": {
                "type": "plain_text_input",
                "action_id": "reason",
                "multiline": True,
                "max_length": 3000,
            },
        },
        {
            "type": "actions",
            "elements": [
                {
                    "type": "button",
                    "text": {"type": "plain_text", "text": "Approve"},
                    "action_id": "approval.approve",
                    "value": "000001000",
                    "style": "primary",
                },
                {
                    "type": "button",
                    "text": {"type": "plain_text", "text": "Deny"},
                    "action_id": "approval.deny",
                    "value": "000001000",
                    "style": "danger",
                },
            ],
        },
    ]
    assert rendered.text == "Approve or deny?\nDrop the table &lt;users&gt;\nIt cannot be undone.\n*Really*"


def test_a_tools_arguments_are_shown_to_the_letter() -> None:
    rendered = card(deploy(target="prod", force=True, count=3, note=None, notes="one\ntwo", hosts=["a", "b"]))

    assert rendered.blocks[1] == literal("Run deploy")
    assert rendered.blocks[2] == literal(
        'target: prod\nforce: true\ncount: 3\nnote: null\nnotes:\n│ one\n│ two\nhosts:\n│ [\n│   "a",\n│   "b"\n│ ]'
    )


def test_no_value_can_pass_for_another_argument_or_hide_itself() -> None:
    shown = card(deploy(note="fine\nforce: false", target="\u202edorp")).blocks[2]

    assert shown == literal("note:\n│ fine\n│ force: false\ntarget: \\u202edorp")


def test_a_tool_without_arguments_is_named_alone() -> None:
    assert card(deploy()).blocks[1:-2] == [literal("Run deploy")]


def test_what_does_not_fit_the_card_can_be_seen_whole() -> None:
    call = deploy(sql="\n".join(f"insert into t values ({n});" for n in range(500)))
    rendered = card(call)

    check(rendered)
    assert buttons(rendered) == ["Approve", "Deny", "See everything"]
    view = details_view(call)
    assert faults(view["blocks"], "modal") == []
    whole = "\n".join(block["text"]["text"] for block in view["blocks"])
    assert [f"│ insert into t values ({n});" for n in range(500)] == whole.split("\n")[2:]


@pytest.mark.parametrize(
    ("how", "outcome"),
    [
        ("approved", "✓ Approved by Ann"),
        ("denied", "✕ Denied by Ann"),
        ("cancelled", "✕ Not decided: it was not done"),
        ("expired", "✕ Expired: nobody decided in time, and it was not done"),
        ("stopped", "✕ Not decided: it was not done"),
        ("failed", "✕ Closed: the run failed, and it was not done"),
    ],
)
def test_the_closed_card_says_above_all_what_became_of_it(how: How, outcome: str) -> None:
    rendered = closed(confirm("Deploy"), Ending(call_id="c", how=how, by=ANN))

    assert rendered.blocks == [LINE, mrkdwn(f"*{outcome}*"), literal("Deploy"), LINE]
    assert rendered.text == f"{outcome}\nDeploy"


def test_the_closed_card_says_why_it_was_denied() -> None:
    rendered = closed(confirm("Deploy"), Ending(call_id="c", how="denied", by=ANN, words="not on\n<a> Friday"))

    assert rendered.blocks == [
        LINE,
        mrkdwn("*✕ Denied by Ann*\n> not on\n> &lt;a&gt; Friday"),
        literal("Deploy"),
        LINE,
    ]


values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text() | st.just("<!channel>\n" * 9_000),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(st.dictionaries(st.text(), values, max_size=4), st.text(), st.sampled_from(["deploy", "confirm_action", "<b>"]))
def test_any_call_gives_cards_and_a_view_that_slack_takes(arguments: dict[str, Any], said: str, name: str) -> None:
    call = ToolCall(id="000001000", name=name, arguments=json.dumps({"action": "do", **arguments}))

    check(card(call))
    check(closed(call, Ending(call_id="c", how="denied", by=Person(name=said), words=said * 200)))
    view = details_view(call)
    assert faults(view["blocks"], "modal") == []
    assert len(json.dumps(view)) <= limits.VIEW_BYTES
