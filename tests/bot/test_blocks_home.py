"""App Home: what waits, newest first, and what was decided last."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.values import Person
from bot.blocks import limits
from bot.blocks.home import Decided, Waiting, home
from bot.blocks.parts import Block
from bot.playground.blocks import faults

ANN = Person(id="U1", name="Ann")
HOUR = 3_600
NOON = 1_763_467_200
DATE = "<!date^1763467200^{date_short_pretty} at {time}|2025-11-18 12:00 UTC>"


def waiting(what: str, since: int = NOON, channel: str = "C0SHIP001", url: str = "https://acme.test/p1") -> Waiting:
    return Waiting(what=what, channel=channel, since=since, url=url)


def header(text: str) -> Block:
    return {"type": "header", "text": {"type": "plain_text", "text": text}}


def mrkdwn(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def small(text: str) -> Block:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text}]}


def test_home_lists_what_waits_and_what_was_decided() -> None:
    decision = Decided("Where to?", "Staging", ANN, NOON, "C0SHIP001", "https://acme.test/p2")
    link = {
        "type": "button",
        "text": {"type": "plain_text", "text": "Open"},
        "action_id": "home.question",
        "url": "https://acme.test/p1",
        "accessibility_label": "Open question 1",
    }

    assert home([waiting("When? <!here>")], [decision]) == {
        "type": "home",
        "blocks": [
            header("Waiting for you"),
            mrkdwn("When? &lt;!here&gt;") | {"accessory": link},
            small(f"<#C0SHIP001> · since {DATE}"),
            {"type": "divider"},
            header("Last decisions"),
            mrkdwn("*Where to?*\nStaging"),
            small(f"Ann · <#C0SHIP001> · {DATE} · <https://acme.test/p2|Open>"),
        ],
    }


def test_an_empty_home_says_so_in_friendly_words() -> None:
    assert home([], [])["blocks"] == [
        header("Waiting for you"),
        mrkdwn("Nothing is waiting for you. When I need a decision that you may take, it shows up here."),
        {"type": "divider"},
        header("Last decisions"),
        mrkdwn("Nothing has been decided yet."),
    ]


def test_the_newest_comes_first() -> None:
    view = home([waiting("old", NOON - HOUR), waiting("new")], [])

    assert [block["text"]["text"] for block in view["blocks"][1:5:2]] == ["new", "old"]


def test_however_many_there_are_it_fits_and_says_how_many_more() -> None:
    decided = [Decided(f"Q{n}", "yes", ANN, NOON + n, "D0ANN0001") for n in range(1_000)]
    view = home([waiting(f"Q{n}", NOON + n) for n in range(1_000)], decided)

    assert faults(view["blocks"], "home") == []
    assert small("And 965 more open.") in view["blocks"]
    assert small("And 990 more earlier.") in view["blocks"]


@pytest.mark.parametrize(
    "url", ["", "javascript:alert(1)", "https://a.test|<!channel>", "https://a.test/" + "x" * 3_000]
)
def test_only_a_proper_link_becomes_one(url: str) -> None:
    view = home([waiting("Q", url=url)], [Decided("Q", "yes", ANN, NOON, "D0ANN0001", url)])

    assert "accessory" not in view["blocks"][1]
    assert view["blocks"][-1] == small(f"Ann · Direct message · {DATE}")


@given(st.text() | st.just("<!channel>" * 1_000), st.text(), st.text())
def test_any_text_fits(what: str, name: str, channel: str) -> None:
    view = home([waiting(what, channel=channel)] * 40, [Decided(what, what, Person(name=name), NOON, channel)] * 20)

    assert faults(view["blocks"], "home") == []
    assert len(json.dumps(view)) <= limits.VIEW_BYTES
    assert "<!channel" not in json.dumps(view)
