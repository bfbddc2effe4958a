"""What a person sees of thousands of messages: only those that changed are drawn again, and none is forgotten."""

from collections.abc import Callable
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import mirror
from bot.playground.server import LocalSlack
from bot.playground.workspace import Message
from tests.support.slack_app import form

Json = dict[str, Any]
GENERAL = "C0GENERAL"


class Drawing:
    """What Ann sees, and the messages that had to be drawn for it since she last looked."""

    def __init__(self, slack: LocalSlack, monkeypatch: pytest.MonkeyPatch) -> None:
        self._slack, self._drawn = slack, list[str]()
        usual = mirror._message

        def counted(core: Any, person: Any, message: Message) -> Json:
            self._drawn.append(message.ts)
            return usual(core, person, message)

        monkeypatch.setattr(mirror, "_message", counted)

    def looks(self) -> tuple[mirror.Table, list[str]]:
        table = mirror.table(self._slack.core, self._slack.people["ann"].user, mirror.Guide())
        drawn, self._drawn[:] = list(self._drawn), []
        return table, drawn


@pytest.fixture
def drawing(slack: LocalSlack, monkeypatch: pytest.MonkeyPatch) -> Drawing:
    return Drawing(slack, monkeypatch)


@pytest.fixture
async def posted(client: AsyncWebClient) -> list[str]:
    """A few forms in a channel."""
    return [(await client.chat_postMessage(channel=GENERAL, text=f"{n}", blocks=form()))["ts"] for n in range(5)]


def live(slack: LocalSlack, ts: str) -> Message:
    message = slack.core.workspace.message(GENERAL, ts)
    assert message
    return message


def chooses(slack: LocalSlack, ts: str) -> None:
    slack.people["ann"].chooses(live(slack, ts), 1, "SQLite")


def chooses_anew(slack: LocalSlack, ts: str) -> None:
    slack.people["ann"].chooses(live(slack, ts), 1, "Postgres")


def deletes(slack: LocalSlack, ts: str) -> None:
    message = live(slack, ts)
    message.text, message.blocks, message.subtype = "This message was deleted.", [], "tombstone"


async def test_nothing_is_drawn_twice(slack: LocalSlack, drawing: Drawing, posted: list[str]) -> None:
    before, drawn = drawing.looks()
    assert drawn == posted
    slack.people["ann"].writes("C0LEADS00", "elsewhere")

    after, drawn = drawing.looks()

    assert len(drawn) == 1
    assert all(after[f"message/{GENERAL}/{ts}"] is before[f"message/{GENERAL}/{ts}"] for ts in posted)


@pytest.mark.parametrize("change", [chooses, chooses_anew, deletes])
async def test_only_what_changed_is_drawn_again(
    slack: LocalSlack, drawing: Drawing, posted: list[str], change: Callable[[LocalSlack, str], None]
) -> None:
    chooses(slack, posted[3])
    before, _ = drawing.looks()
    ts = posted[3] if change is chooses_anew else posted[2]

    change(slack, ts)

    after, drawn = drawing.looks()
    assert drawn == [ts]
    assert after[f"message/{GENERAL}/{ts}"] != before[f"message/{GENERAL}/{ts}"]


async def test_an_update_is_drawn_and_what_others_fill_in_is_not(
    slack: LocalSlack, drawing: Drawing, client: AsyncWebClient, posted: list[str]
) -> None:
    drawing.looks()
    await client.chat_update(channel=GENERAL, ts=posted[1], text="new")
    slack.people["ben"].chooses(live(slack, posted[4]), 1, "SQLite")

    table, drawn = drawing.looks()

    assert drawn == [posted[1]]
    assert table[f"message/{GENERAL}/{posted[1]}"]["text"] == "new"  # type: ignore[index]


async def test_a_message_that_is_gone_is_gone_and_may_come_again(
    slack: LocalSlack, drawing: Drawing, client: AsyncWebClient, posted: list[str]
) -> None:
    drawing.looks()
    message = live(slack, posted[0])
    await client.chat_delete(channel=GENERAL, ts=posted[0])

    table, drawn = drawing.looks()
    assert (f"message/{GENERAL}/{posted[0]}" in table, drawn) == (False, [])
    slack.core.workspace.add(message)
    table, drawn = drawing.looks()
    assert (f"message/{GENERAL}/{posted[0]}" in table, drawn) == (True, [posted[0]])


async def test_a_stream_is_drawn_as_it_grows_and_when_it_expires(
    slack: LocalSlack, drawing: Drawing, client: AsyncWebClient, posted: list[str]
) -> None:
    ann = slack.people["ann"]
    to: Json = {"recipient_user_id": ann.id, "recipient_team_id": slack.team_id}
    ts = (await client.chat_startStream(channel=GENERAL, thread_ts=posted[0], markdown_text="Once ", **to))["ts"]
    row = f"message/{GENERAL}/{ts}"
    assert drawing.looks()[0][row]["streaming"] is True  # type: ignore[index]

    await client.chat_appendStream(channel=GENERAL, ts=ts, markdown_text="upon")
    table, drawn = drawing.looks()
    assert (table[row]["text"], drawn) == ("Once upon", [ts])  # type: ignore[index]

    due = mirror.next_expiry(slack.core)
    assert due == slack.clock.now() + 300
    slack.clock.advance(300)
    table, drawn = drawing.looks()
    assert (table[row]["streaming"], drawn) == (False, [ts])  # type: ignore[index]
    assert mirror.next_expiry(slack.core) is None


async def test_the_next_expiry_is_found_among_older_and_newer_messages(
    slack: LocalSlack, client: AsyncWebClient, posted: list[str]
) -> None:
    ann = slack.people["ann"]
    to: Json = {"recipient_user_id": ann.id, "recipient_team_id": slack.team_id, "thread_ts": posted[0]}
    await client.chat_startStream(channel=GENERAL, markdown_text="old", **to)
    slack.clock.advance(200)
    await client.chat_startStream(channel=GENERAL, markdown_text="newer", **to)
    ann.writes(GENERAL, "and more")
    began = slack.clock.now()

    assert mirror.next_expiry(slack.core) == began + 100
    slack.clock.advance(150)
    assert mirror.next_expiry(slack.core) == began + 300
