"""What people and the drawer ask for on the page: done as themselves, where they are, with what they see."""

import base64
from collections.abc import AsyncIterator
from typing import Any

import pytest
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import LocalSlack
from bot.playground.typed import encoded
from tests.support.page import Page, page
from tests.support.slack_app import (
    actions,
    app_on,
    asking,
    boxes,
    button,
    connected,
    form,
    modal,
    option,
    plain,
    radio,
    refusal,
    section,
)

Json = dict[str, Any]
GENERAL, LEADS, RANDOM = "C0GENERAL", "C0LEADS00", "C0RANDOM0"


@pytest.fixture
async def heard(slack: LocalSlack) -> AsyncIterator[list[Json]]:
    """What the app hears by clicks and picks; it acknowledges everything."""
    app, found = app_on(slack), list[Json]()

    @app.action({"type": "block_actions", "action_id": "submit"})
    async def on_submit(ack: AsyncAck, body: Json) -> None:
        await ack()
        found.append(body)

    for action_id in ("choice", "menu", "rate", "day", "who", "several", "other"):

        @app.action(action_id)
        async def on_pick(ack: AsyncAck, body: Json) -> None:
            await ack()
            found.append(body)

    async with connected(app, slack):
        yield found


async def posted(client: AsyncWebClient, *blocks: Json, channel: str = GENERAL) -> Json:
    """A message of the app's; the surface that the page names it by."""
    ts = (await client.chat_postMessage(channel=channel, text="look", blocks=list(blocks)))["ts"]
    return {"channel": channel, "ts": ts}


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("a < b && c > d", "a &lt; b &amp;&amp; c &gt; d"),
        ("@parley hi @Ann Archer, @ben!", "<@U0PARLEY0> hi <@U0ANNAAAA>, <@U0BENBBBB>!"),
        ("@PARLEY and @ann archery", "<@U0PARLEY0> and <@U0ANNAAAA> archery"),
        ("mail ann@parley.example, @annette, @nobody", "mail ann@parley.example, @annette, @nobody"),
        ("in #general, #leads and #nowhere", "in <#C0GENERAL>, <#C0LEADS00> and #nowhere"),
        ("@here @channel", "<!here> <!channel>"),
        ("see https://a.example/?x=1&y=#general.", "see <https://a.example/?x=1&amp;y=#general>."),
        ("`@ann <b>` and ```\n@ben\n```", "`@ann &lt;b&gt;` and ```\n@ben\n```"),
        ("<@U0BENBBBB>", "&lt;@U0BENBBBB&gt;"),
    ],
)
def test_text_is_sent_as_slacks_client_sends_it(typed: str, sent: str) -> None:
    workspace = LocalSlack().core.workspace

    assert encoded(typed, workspace, workspace.users["U0ANNAAAA"]) == sent


def test_a_private_channel_is_named_only_by_those_who_are_in_it() -> None:
    workspace = LocalSlack().core.workspace

    assert encoded("#leads #random", workspace, workspace.users["U0GUSGGGG"]) == "#leads <#C0RANDOM0>"


async def test_a_message_is_written_with_its_files_and_the_app_hears_of_it(
    slack: LocalSlack, ann: Page, heard: list[Json]
) -> None:
    file = {"name": "../notes.txt", "base64": base64.b64encode(b"milk").decode()}

    done = await ann.ask("write", channel=GENERAL, text=" @parley read this\x00 ", files=[file, file])

    shown = ann.table[f"message/{GENERAL}/{done['result']['ts']}"]
    assert shown["text"] == "<@U0PARLEY0> read this"
    assert [file["name"] for file in shown["files"]] == [".._notes.txt", "2-.._notes.txt"]
    await slack.until(lambda: slack.delivered("app_mention"))


async def test_files_of_the_same_name_are_all_kept(ann: Page) -> None:
    files = [{"name": name, "base64": base64.b64encode(b"x").decode()} for name in ("3-a", "a", "a", "a", "2-a")]

    done = await ann.ask("write", channel=GENERAL, text="", files=files)

    shown = ann.table[f"message/{GENERAL}/{done['result']['ts']}"]
    assert [file["name"] for file in shown["files"]] == ["3-a", "a", "2-a", "4-a", "2-2-a"]


async def test_whoever_is_in_a_channel_invites_the_app_into_it(slack: LocalSlack, ann: Page) -> None:
    assert ann.table[f"channel/{RANDOM}"]["app_is_in"] is False

    assert (await ann.ask("invite", channel=RANDOM))["error"] == ""

    assert ann.table[f"channel/{RANDOM}"]["app_is_in"] is True
    assert (await ann.ask("invite", channel=RANDOM))["error"] == "Parley is here already."
    assert slack.core.workspace.channels[RANDOM].members.count(slack.core.workspace.bot_user_id) == 1
    async with page(slack.core.url, "gus") as gus:
        assert (await gus.ask("invite", channel=RANDOM))["error"] == "You are not in this channel."


async def test_the_app_is_invited_by_a_command_and_there_is_no_other_one(ann: Page) -> None:
    refused = await ann.ask("write", channel=RANDOM, text="/remind me")
    done = await ann.ask("write", channel=RANDOM, text=" /Invite  @Parley ")

    assert refused["error"] == "There are no slash commands here, except /invite @parley."
    assert done["error"] == ""
    assert ann.table[f"channel/{RANDOM}"]["app_is_in"] is True
    assert ann.messages() == []


async def test_a_reply_goes_to_its_thread_and_only_a_message_of_the_channel_has_one(ann: Page) -> None:
    root = (await ann.ask("write", channel=GENERAL, text="root"))["result"]["ts"]
    reply = (await ann.ask("write", channel=GENERAL, text="reply", thread_ts=root))["result"]["ts"]

    assert ann.table[f"message/{GENERAL}/{reply}"]["thread_ts"] == root
    for ts in (reply, "1.2", ""):
        done = await ann.ask("write", channel=GENERAL, text="deeper", thread_ts=ts)
        assert (done["error"] == "") == (ts == "")


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"channel": "C0NOWHERE", "text": "hi"}, "You are not in this channel."),
        ({"channel": LEADS, "text": "hi"}, "You are not in this channel."),
        ({"channel": GENERAL, "text": " \n "}, "There is nothing to send."),
        ({"channel": GENERAL, "text": 7}, "The page sent no text as “text”."),
        ({"channel": GENERAL, "text": "a" * 12_001}, "A message has at most 12,000 characters; this one has 12,001."),
        ({"channel": GENERAL, "text": "hi", "files": 7}, "The page sent no list of files."),
        ({"channel": GENERAL, "text": "hi", "files": [7]}, "The page sent something that is no file."),
        ({"channel": GENERAL, "text": "hi", "files": [{}] * 11}, "A message has at most 10 files."),
        ({"channel": GENERAL, "files": [{"name": "a", "base64": "!"}]}, "A file did not arrive whole."),
        ({"channel": GENERAL, "files": [{"name": "a", "base64": "A" * 4 * 7_100_000}]}, "The files of a message have"),
    ],
)
async def test_what_cannot_be_written_is_refused_with_a_sentence(slack: LocalSlack, fields: Json, error: str) -> None:
    async with page(slack.core.url, "gus") as gus:
        assert (await gus.ask("write", **fields))["error"].startswith(error)

    assert slack.core.workspace.messages == {}


async def test_people_edit_only_their_own_words(slack: LocalSlack, ann: Page) -> None:
    own, other = slack.people["ann"].writes(GENERAL, "one"), slack.people["ben"].writes(GENERAL, "two")

    assert (await ann.ask("edit", channel=GENERAL, ts=own, text="1 & 2"))["error"] == ""
    refused = await ann.ask("edit", channel=GENERAL, ts=other, text="mine now")

    assert refused["error"] == "You can edit only what you wrote yourself."
    assert ann.table[f"message/{GENERAL}/{own}"]["text"] == "1 &amp; 2"
    assert ann.table[f"message/{GENERAL}/{own}"]["edited"] is True


async def test_a_form_is_filled_in_by_each_for_themselves_and_sent_by_a_click(
    slack: LocalSlack, client: AsyncWebClient, ann: Page, heard: list[Json]
) -> None:
    surface = await posted(client, *form())
    key = f"message/{GENERAL}/{surface['ts']}"

    async def fill(block_id: str, action_id: str, value: Any) -> str:
        done = await ann.ask("fill", surface=surface, block_id=block_id, action_id=action_id, value=value)
        return str(done["error"])

    assert await fill("q1/choice", "choice", 1) == ""
    assert await fill("q1/other", "other", "a\ud800 <word>") == ""
    assert await fill("q2/choice", "choice", [2, 0]) == ""
    assert ann.table[key]["form"]["q1/choice"]["choice"]["selected_option"]["text"]["text"] == "SQLite"
    async with page(slack.core.url, "ben") as ben:
        assert ben.table[key]["form"]["q1/choice"]["choice"]["selected_option"] is None
    assert (await ann.ask("click", surface=surface, block_id="buttons", action_id="submit"))["error"] == ""

    [body] = await slack.until(lambda: heard)
    values = body["state"]["values"]
    assert values["q1/other"]["other"]["value"] == "a� <word>"
    assert [o["text"]["text"] for o in values["q2/choice"]["choice"]["selected_options"]] == ["Europe", "Africa"]
    assert body["user"]["id"] == slack.people["ann"].id


@pytest.mark.parametrize(
    ("block_id", "action_id", "value", "error"),
    [
        ("q1/choice", "choice", 2, "There is no such option."),
        ("q1/choice", "choice", -1, "There is no such option."),
        ("q1/choice", "choice", True, "There is no such option."),
        ("q1/choice", "choice", None, "There is no such option."),
        ("q2/choice", "choice", 1, "This field takes several at once."),
        ("q2/choice", "choice", [0, 9], "There is no such option."),
        ("q1/other", "other", 1, "This field takes text."),
        ("q1/other", "other", "a" * 3_001, "This field takes at most 3,000 characters."),
        ("q1/other", "choice", "a", "This field is no longer there."),
        ("buttons", "submit", "a", "This is no field of a form."),
    ],
)
async def test_what_a_field_cannot_hold_is_refused(
    client: AsyncWebClient, ann: Page, block_id: str, action_id: str, value: Any, error: str
) -> None:
    surface = await posted(client, *form())

    done = await ann.ask("fill", surface=surface, block_id=block_id, action_id=action_id, value=value)

    assert done["error"] == error


async def test_two_buttons_of_the_same_name_are_told_apart_by_their_blocks(
    slack: LocalSlack, client: AsyncWebClient, ann: Page, heard: list[Json]
) -> None:
    rows = [{**actions(button(value=value)), "block_id": f"row {value}"} for value in ("1", "2")]
    surface = await posted(client, *rows)

    await ann.ask("click", surface=surface, block_id="row 2", action_id="submit")

    [body] = await slack.until(lambda: heard)
    assert (body["actions"][0]["block_id"], body["actions"][0]["value"]) == ("row 2", "2")


async def test_elements_outside_a_form_tell_the_app_at_once(
    slack: LocalSlack, client: AsyncWebClient, ann: Page, heard: list[Json]
) -> None:
    groups = [
        {"label": plain("A"), "options": [option("x", "x")]},
        {"label": plain("B"), "options": [option("y", "y")]},
    ]
    menu = {"type": "static_select", "action_id": "menu", "option_groups": groups}
    several = {"type": "multi_users_select", "action_id": "several"}
    surface = await posted(
        client,
        {**section(), "block_id": "s", "accessory": menu},
        {**section(), "block_id": "m", "accessory": several},
        {
            **actions(
                radio("Red", "Green"),
                {"type": "datepicker", "action_id": "day"},
                {"type": "users_select", "action_id": "who"},
                {"type": "overflow", "action_id": "rate", "options": [option("more"), option("less", "1")]},
            )
        },
    )
    picked = [
        *[("s", "menu", 1), ("buttons", "choice", 1), ("buttons", "day", "2026-01-31"), ("buttons", "rate", 1)],
        *[("buttons", "who", "U0BENBBBB"), ("m", "several", ["U0BENBBBB", "U0ANNAAAA"])],
    ]

    for block_id, action_id, value in picked:
        done = await ann.ask("pick", surface=surface, block_id=block_id, action_id=action_id, value=value)
        assert done["error"] == ""
    for block_id, action_id, value in (("buttons", "day", "soon"), ("buttons", "who", "U0NOBODY"), ("m", "several", 1)):
        done = await ann.ask("pick", surface=surface, block_id=block_id, action_id=action_id, value=value)
        assert done["error"] != ""

    await slack.until(lambda: len(heard) == len(picked))
    said = [body["actions"][0] for body in heard]
    assert said[0]["selected_option"]["value"] == "y"
    assert said[1]["selected_option"]["text"]["text"] == "Green"
    assert said[2]["selected_date"] == "2026-01-31"
    assert (said[3]["type"], said[3]["selected_option"]["value"]) == ("overflow", "1")
    assert said[4]["selected_user"] == "U0BENBBBB"
    assert said[5]["selected_users"] == ["U0BENBBBB", "U0ANNAAAA"]


async def test_a_field_of_a_form_is_filled_and_not_picked(client: AsyncWebClient, ann: Page) -> None:
    surface = await posted(client, asking(boxes("a", "b")))

    done = await ann.ask("pick", surface=surface, block_id="q1", action_id="choice", value=[0])

    assert done["error"] == "The app hears of this field only when a button is pressed."


async def test_feedback_says_which_of_its_two_buttons_was_pressed(
    slack: LocalSlack, client: AsyncWebClient, ann: Page, heard: list[Json]
) -> None:
    both = {f"{name}_button": {"text": plain(name), "value": name} for name in ("positive", "negative")}
    element = {"type": "feedback_buttons", "action_id": "rate", **both}
    surface = await posted(client, {"type": "context_actions", "block_id": "f", "elements": [element]})

    done = await ann.ask("click", surface=surface, block_id="f", action_id="rate", value="negative")
    wrong = await ann.ask("click", surface=surface, block_id="f", action_id="rate", value="so-so")

    assert (done["error"], wrong["error"]) == ("", "This button is no longer there.")
    [body] = await slack.until(lambda: heard)
    assert body["actions"][0]["value"] == "negative"


async def test_a_button_deep_in_a_container_needs_no_ids_of_its_own(
    slack: LocalSlack, client: AsyncWebClient, ann: Page, heard: list[Json]
) -> None:
    inner = {"type": "actions", "elements": [button(value="deep")]}
    text = {"type": "rich_text", "elements": [{"odd": "no type"}]}
    surface = await posted(client, {"type": "container", "title": plain("Box"), "child_blocks": [inner, text]}, text)
    shown = (await ann.until(lambda _: ann.messages()))[0]
    block_id = shown["blocks"][0]["child_blocks"][0]["block_id"]

    assert (await ann.ask("click", surface=surface, block_id=block_id, action_id="submit"))["error"] == ""

    [body] = await slack.until(lambda: heard)
    assert body["actions"][0]["value"] == "deep"


@pytest.mark.parametrize("groups", [[{}], [7], [{"label": plain("A"), "options": [{"text": plain("no value")}]}], {}])
async def test_groups_of_options_are_checked_like_options(client: AsyncWebClient, groups: Any) -> None:
    menu = {"type": "static_select", "action_id": "menu", "option_groups": groups}

    refused = await refusal(
        client.chat_postMessage(channel=GENERAL, text="x", blocks=[{**section(), "accessory": menu}])
    )

    assert refused["error"] == "invalid_blocks"


async def test_a_click_that_nobody_takes_is_told_in_a_sentence(client: AsyncWebClient, ann: Page) -> None:
    surface = await posted(client, *form())

    done = await ann.ask("click", surface=surface, block_id="buttons", action_id="submit")

    assert done["error"] == "The app is not connected."


async def test_nobody_uses_what_they_do_not_see(slack: LocalSlack, client: AsyncWebClient, heard: list[Json]) -> None:
    ben = slack.people["ben"]
    hidden = (await client.chat_postEphemeral(channel=GENERAL, user=ben.id, text="x", blocks=form()))["message_ts"]
    view = (await client.views_publish(user_id=ben.id, view={"type": "home", "blocks": form()}))["view"]["id"]
    elsewhere = await posted(client, *form(), channel=LEADS)
    for_ben = await posted(client, actions(button(visible_to_user_ids=[ben.id])))
    surfaces = [
        {"private": GENERAL, "ts": hidden},
        {"channel": GENERAL, "ts": hidden},
        {"view": view},
        elsewhere,
        for_ben,
    ]

    async with page(slack.core.url, "gus") as gus:
        for surface in surfaces:
            for act in ("click", "fill", "pick", "submit", "close"):
                done = await gus.ask(act, surface=surface, block_id="buttons", action_id="submit", value="")
                assert done["error"] != "", (act, surface)
        assert (await gus.ask("dismiss", channel=GENERAL, ts=hidden))["error"] != ""
        assert (await gus.ask("edit", **elsewhere, text="x"))["error"] == "You are not in this channel."

    assert heard == []
    assert slack.ephemerals(ben)


async def test_a_private_note_can_be_used_and_dismissed(
    slack: LocalSlack, client: AsyncWebClient, ann: Page, heard: list[Json]
) -> None:
    me = slack.people["ann"].id
    ts = (await client.chat_postEphemeral(channel=GENERAL, user=me, text="x", blocks=form()))["message_ts"]

    surface = {"private": GENERAL, "ts": ts}
    await ann.ask("fill", surface=surface, block_id="q1/choice", action_id="choice", value=0)
    await ann.ask("click", surface=surface, block_id="buttons", action_id="submit")
    [body] = await slack.until(lambda: heard)
    await ann.ask("dismiss", channel=GENERAL, ts=ts)

    assert body["state"]["values"]["q1/choice"]["choice"]["selected_option"]["text"]["text"] == "Postgres"
    assert ann.messages("private") == []
    assert (await ann.ask("dismiss", channel=GENERAL, ts=ts))["error"] == "This message is no longer there."


def with_modals(app: AsyncApp, client: AsyncWebClient) -> list[Json]:
    submitted: list[Json] = []

    @app.action("submit")
    async def on_submit(ack: AsyncAck, body: Json) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=modal())

    @app.view("why")
    async def on_view(ack: AsyncAck, body: Json) -> None:
        submitted.append(body)
        wrong = {"response_action": "errors", "errors": {"reason": "Think again."}}
        await ack(**wrong if len(submitted) == 1 else {})

    return submitted


async def test_a_modal_is_filled_in_submitted_and_closed(slack: LocalSlack, client: AsyncWebClient, ann: Page) -> None:
    app = app_on(slack)
    submitted = with_modals(app, client)
    surface = await posted(client, *form())

    async with connected(app, slack):
        await ann.ask("click", surface=surface, block_id="buttons", action_id="submit")
        shown = await ann.until(lambda table: table.get("modal"))
        view = {"view": shown["id"]}
        empty = await ann.ask("submit", surface=view)
        await ann.ask("fill", surface=view, block_id="reason", action_id="other", value="because")
        wrong = await ann.ask("submit", surface=view)
        right = await ann.ask("submit", surface=view)
        assert "modal" not in ann.table
        await ann.ask("click", surface=surface, block_id="buttons", action_id="submit")
        again = await ann.until(lambda table: table.get("modal"))
        await ann.ask("close", surface={"view": again["id"]})

    assert (shown["title"], shown["submit"], shown["close"]) == ("Why", "Send", None)
    assert empty["errors"] == {"reason": "Please complete this required field."}
    assert wrong["errors"] == {"reason": "Think again."}
    assert (right["error"], right["errors"]) == ("", {})
    assert submitted[0]["view"]["state"]["values"]["reason"]["other"]["value"] == "because"
    assert "modal" not in ann.table
    assert (await ann.ask("submit", surface=view))["error"] == "This view is no longer open."


async def test_home_is_opened_and_a_run_is_stopped(
    slack: LocalSlack, client: AsyncWebClient, ann: Page, heard: list[Json]
) -> None:
    ts = slack.people["ann"].writes(GENERAL, "work")
    assert (await ann.ask("stop", channel=GENERAL, thread_ts=ts))["error"].startswith("Nothing is running here")
    await client.agents_sessions_setStatus(channel_id=GENERAL, thread_ts=ts, status="processing")

    await ann.ask("home")
    await ann.ask("stop", channel=GENERAL, thread_ts=ts)

    assert slack.delivered("app_home_opened")
    assert slack.delivered("agent_session_stopped")
