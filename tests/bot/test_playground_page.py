"""The page's server: files, who may come in, what each person sees, and that frames never end a socket."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slack_bolt.async_app import AsyncAck
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import browser
from bot.playground.acts import ACTS
from bot.playground.clock import Clock
from bot.playground.drawer import Drawer
from bot.playground.server import LocalSlack
from tests.support.page import page
from tests.support.slack_app import app_on, client_of, connected, form, modal, refusal, section

GENERAL, LEADS, PARTNERS = "C0GENERAL", "C0LEADS00", "C0PARTNER"


@pytest.fixture
async def web() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.mark.parametrize("path", ["/", "/archives/C0GENERAL/p1700000000000100", "/archives/C0GENERAL/p1?thread_ts=1.2"])
async def test_the_page_is_there_at_every_address_of_its_own(
    slack: LocalSlack, web: aiohttp.ClientSession, path: str
) -> None:
    answer = await web.get(slack.core.url + path)

    assert (answer.status, answer.content_type) == (200, "text/html")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-cache"
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


async def test_every_file_of_the_page_is_served_with_its_kind(slack: LocalSlack, web: aiohttp.ClientSession) -> None:
    files = [file for file in browser.PAGE.rglob("*") if file.suffix in browser.KINDS]

    for file in files:
        answer = await web.get(f"{slack.core.url}/page/{file.relative_to(browser.PAGE).as_posix()}")
        assert answer.headers["Content-Type"] == browser.KINDS[file.suffix], file.name
        assert await answer.read() == file.read_bytes()
    assert files


@pytest.mark.parametrize(
    "name",
    [
        "..%2fapi.py",
        "%2e%2e/api.py",
        "no.js",
        "index.html%00.js",
        ".js",
        "a/b.js",
        "text",
        "text/",
        "text%2f..%2fmain.js",
        "text%2f..%2f..%2fapi.py",
        "text//text.js",
    ],
)
async def test_nothing_else_is_served(slack: LocalSlack, web: aiohttp.ClientSession, name: str) -> None:
    assert (await web.get(f"{slack.core.url}/page/{name}")).status in (400, 404)


POSTING = f"/api/chat.postMessage?token=xoxb-local-bot-token&channel={GENERAL}&text=hello"
FOLLOWED = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


@pytest.mark.parametrize("path", ["/", "/page/socket?as=ann", POSTING, "/page/files/F1?as=ann"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:{port}"},
        {"Host": "[::1"},
        {"Host": ""},
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
    ],
)
async def test_a_web_page_from_elsewhere_gets_nothing(
    slack: LocalSlack, web: aiohttp.ClientSession, path: str, headers: dict[str, str]
) -> None:
    port = slack.core.url.rpartition(":")[2]
    answer = await web.get(slack.core.url + path, headers={n: v.format(port=port) for n, v in headers.items()})

    assert answer.status == 403
    assert slack.calls == []


async def test_a_link_from_elsewhere_leads_to_the_page_and_to_nothing_else(
    slack: LocalSlack, web: aiohttp.ClientSession
) -> None:
    for path in ("/", f"/archives/{GENERAL}/p1"):
        assert (await web.get(slack.core.url + path, headers=FOLLOWED)).status == 200
        assert (await web.post(slack.core.url + path, headers=FOLLOWED)).status == 403
    for path in (POSTING, "/page/files/F1?as=ann", "/page/page.js"):
        assert (await web.get(slack.core.url + path, headers=FOLLOWED)).status == 403
    assert slack.calls == []


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
@pytest.mark.parametrize("port", ["", ":{port}", ":8080"], ids=["80", "its own", "a tunnel's"])
async def test_the_page_itself_comes_in_by_any_name_and_port_of_this_machine(
    slack: LocalSlack, name: str, port: str
) -> None:
    host = name + port.format(port=slack.core.url.rpartition(":")[2])
    site = {"Sec-Fetch-Site": "same-origin"}

    async with page(slack.core.url, Host=host, Origin=f"http://{host}", **site) as ann:
        assert ann.table["me"] == slack.people["ann"].id


async def test_the_first_frame_has_everything_that_somebody_sees(slack: LocalSlack, client: AsyncWebClient) -> None:
    ann = slack.people["ann"]
    ts = ann.writes(GENERAL, "hello", files={"notes.txt": b"milk"})
    reply = (await client.chat_postMessage(channel=GENERAL, text="a form", blocks=form(), thread_ts=ts))["ts"]
    await client.chat_postEphemeral(channel=GENERAL, user=ann.id, text="only you")
    await client.views_publish(user_id=ann.id, view={"type": "home", "blocks": [section("home")]})
    await client.assistant_threads_setStatus(channel_id=GENERAL, thread_ts=ts, status="is thinking…")
    await client.agents_sessions_setStatus(channel_id=GENERAL, thread_ts=ts, status="processing")

    async with page(slack.core.url, ann.id) as shown:
        table = shown.table

    assert shown.frames[0]["first"] is True
    assert (table["me"], table["team"]["name"], table["app"]["connected"]) == (ann.id, "Local HQ", 0)
    assert table[f"channel/{LEADS}"]["kind"] == "group"
    assert table[f"user/{ann.id}"]["is_admin"] is True
    assert table[f"user/{slack.people['eve'].id}"]["is_external"] is True
    assert table[f"message/{GENERAL}/{ts}"]["files"][0]["name"] == "notes.txt"
    assert table[f"message/{GENERAL}/{reply}"]["thread_ts"] == ts
    assert table[f"message/{GENERAL}/{reply}"]["form"]["q1/choice"]["choice"]["selected_option"] is None
    assert [message["text"] for message in shown.messages("private")] == ["only you"]
    assert table["home"]["blocks"][0]["text"]["text"] == "home"
    assert table[f"status/{GENERAL}/{ts}"]["text"] == "is thinking…"
    assert table[f"session/{GENERAL}/{ts}"]["status"] == "processing"
    assert table["trouble"] == {"faults": [], "rates": False, "ahead": 0}


async def test_nobody_sees_where_they_are_not_nor_what_is_for_others(slack: LocalSlack, client: AsyncWebClient) -> None:
    ann = slack.people["ann"]
    ann.writes(LEADS, "salaries")
    ann.dms("my secret")
    await client.chat_postEphemeral(channel=PARTNERS, user=ann.id, text="for ann only")
    await client.views_publish(user_id=ann.id, view={"type": "home", "blocks": [section("ann's home")]})
    shared = ann.writes(PARTNERS, "welcome")

    for name, channels in (("gus", {"general", "partners", ""}), ("eve", {"partners", ""})):
        async with page(slack.core.url, name) as other:
            assert {channel["name"] for channel in other.messages("channel")} == channels
            assert [message["ts"] for message in other.messages()] == [shared]
            assert "secret" not in (seen := json.dumps(other.table))
            assert "salaries" not in seen
            assert "for ann" not in seen
            assert "ann's" not in seen


async def test_later_frames_have_only_what_changed_and_what_is_gone(slack: LocalSlack, client: AsyncWebClient) -> None:
    first = slack.people["ann"].writes(GENERAL, "one")

    async with page(slack.core.url, "ben") as ben:
        posted = (await client.chat_postMessage(channel=GENERAL, text="two"))["ts"]
        await ben.until(lambda table: f"message/{GENERAL}/{posted}" in table)
        assert all(f"message/{GENERAL}/{first}" not in frame["set"] for frame in ben.frames[1:])
        await client.chat_delete(channel=GENERAL, ts=posted)
        await ben.until(lambda table: f"message/{GENERAL}/{posted}" not in table)

    assert ben.frames[-1]["gone"] == [f"message/{GENERAL}/{posted}"]
    assert not any(frame["first"] for frame in ben.frames[1:])


async def test_many_changes_at_once_are_few_frames(slack: LocalSlack) -> None:
    async with page(slack.core.url, "ben") as ben:
        for number in range(100):
            slack.people["ann"].writes(GENERAL, f"message {number}")
        await ben.until(lambda _: len(ben.messages()) == 100)

    assert len(ben.frames) <= 3


async def test_a_status_and_a_stream_are_seen_to_expire_by_themselves(
    slack: LocalSlack, client: AsyncWebClient
) -> None:
    ts = slack.people["ann"].writes(GENERAL, "hello")
    who = {"recipient_user_id": slack.people["ann"].id, "recipient_team_id": slack.team_id}
    stream = await client.chat_startStream(channel=GENERAL, thread_ts=ts, markdown_text="so far", **who)
    await client.assistant_threads_setStatus(channel_id=GENERAL, thread_ts=ts, status="is thinking…")
    status, written = f"status/{GENERAL}/{ts}", f"message/{GENERAL}/{stream['ts']}"

    async with page(slack.core.url, "ben") as ben:
        assert ben.table[written]["streaming"] is True
        slack.clock.advance(121)
        await ben.until(lambda table: status not in table)
        assert ben.table[written]["streaming"] is True
        slack.clock.advance(180)
        await ben.until(lambda table: not table[written]["streaming"])


async def test_a_file_is_only_for_those_who_see_its_message(slack: LocalSlack, web: aiohttp.ClientSession) -> None:
    slack.people["ann"].writes(LEADS, "look", files={"salaries.html": b"<script>alert(1)</script>", "ann.png": b"PNG"})
    page_, picture = slack.core.workspace.files.values()

    for person, status in (("ben", 200), ("gus", 404), ("eve", 404)):
        assert (await web.get(f"{slack.core.url}/page/files/{page_.id}?as={person}")).status == status
    answer = await web.get(f"{slack.core.url}/page/files/{page_.id}?as=ann")
    assert answer.content_type == "application/octet-stream"
    assert answer.headers["Content-Disposition"] == "attachment; filename*=UTF-8''salaries.html"
    shown = await web.get(f"{slack.core.url}/page/files/{picture.id}?as=ann")
    assert (shown.content_type, "Content-Disposition" in shown.headers) == ("image/png", False)
    assert (await web.get(f"{slack.core.url}/page/files/F0NOTHING?as=ann")).status == 404


async def test_links_from_slack_lead_to_the_page(
    slack: LocalSlack, client: AsyncWebClient, web: aiohttp.ClientSession
) -> None:
    ts = slack.people["ann"].writes(GENERAL, "hello")
    link = (await client.chat_getPermalink(channel=GENERAL, message_ts=ts))["permalink"]

    assert link == f"{(await client.auth_test())['url']}archives/{GENERAL}/p{ts.replace('.', '')}"
    assert (await web.get(link)).content_type == "text/html"


@pytest.mark.parametrize(
    "text", ["", "no json", "[]", "7", "null", '{"id": 1}', '{"id": 1, "do": 3}', '{"do": "fly"}', "[" * 100_000]
)
async def test_a_frame_that_cannot_be_read_is_answered_with_a_sentence(slack: LocalSlack, text: str) -> None:
    async with page(slack.core.url) as ann:
        answer = await ann.sent(text)
        assert answer["error"].endswith(".")
        await ann.socket.send_bytes(b"\x00")
        assert (await ann.frame())["error"]
        assert (await ann.ask("methods"))["error"] == ""


IDS = st.sampled_from(
    [GENERAL, LEADS, "D000000001", "1", "1700000000.000100", "q1/choice", "choice", "submit", "\ud800"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | IDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5) | IDS, inner, max_size=3),
    max_leaves=5,
)
SURFACES = (
    VALUES
    | st.fixed_dictionaries({"channel": IDS, "ts": IDS})
    | st.fixed_dictionaries({"private": IDS | VALUES, "ts": IDS | VALUES})
    | st.fixed_dictionaries({"view": VALUES})
)
FRAMES = st.fixed_dictionaries(
    {"do": st.sampled_from([*ACTS, *Drawer(LocalSlack()).acts, "watch"])},
    optional={
        **dict.fromkeys(("channel", "ts", "thread_ts", "text", "block_id", "action_id", "value"), IDS | VALUES),
        **dict.fromkeys(("files", "number", "method", "how", "error", "times", "seconds", "on", "payload"), VALUES),
        "surface": SURFACES,
        "id": VALUES,
    },
)


@settings(max_examples=60)
@given(frames=st.lists(FRAMES, max_size=15))
def test_whatever_is_asked_gets_an_answer_and_the_socket_lives_on(frames: list[dict[str, Any]]) -> None:
    async def story() -> None:
        async with LocalSlack(clock=Clock(running=False)) as slack, page(slack.core.url) as ann:
            ts = slack.people["ann"].writes(GENERAL, "hello")
            await client_of(slack).chat_postMessage(channel=GENERAL, text="a form", blocks=form(), thread_ts=ts)
            for frame in frames:
                answer = await ann.sent(json.dumps(frame))
                assert isinstance(answer["error"], str)
                assert "Something went wrong" not in answer["error"]
            assert (await ann.ask("methods"))["error"] == ""

    asyncio.run(story())


async def test_what_was_asked_for_is_done_although_the_tab_is_closed_meanwhile(
    slack: LocalSlack, client: AsyncWebClient
) -> None:
    app, submitted, goes_on = app_on(slack), asyncio.Event(), asyncio.Event()

    @app.action("submit")
    async def on_submit(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=modal())

    @app.view("why")
    async def on_view(ack: AsyncAck) -> None:
        submitted.set()
        await goes_on.wait()
        await ack()

    ts = (await client.chat_postMessage(channel=GENERAL, text="a form", blocks=form()))["ts"]
    async with connected(app, slack):
        async with page(slack.core.url) as ann:
            where = {"channel": GENERAL, "ts": ts}
            await ann.ask("click", surface=where, block_id="buttons", action_id="submit")
            view = {"view": (await ann.until(lambda table: table.get("modal")))["id"]}
            await ann.ask("fill", surface=view, block_id="reason", action_id="other", value="because")
            await ann.socket.send_json({"id": 99, "do": "submit", "surface": view})
            await submitted.wait()
        async with page(slack.core.url) as ann:
            assert "modal" in ann.table
            goes_on.set()
            await ann.until(lambda table: "modal" not in table)


async def test_the_newest_calls_and_deliveries_are_kept_and_no_more() -> None:
    async with LocalSlack(most_recorded=3) as slack:
        for _ in range(5):
            await client_of(slack).auth_test()
        assert [call.number for call in slack.calls] == [3, 4, 5]
        assert slack.calls[0].answer["team"] == "Local HQ"


async def test_an_answer_is_recorded_as_it_was_given(slack: LocalSlack, client: AsyncWebClient) -> None:
    await refusal(client.views_open(trigger_id="none", view=modal()))

    assert slack.calls[-1].answer == {"ok": False, "error": "invalid_trigger_id"}
