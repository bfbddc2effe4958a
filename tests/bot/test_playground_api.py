"""The local Slack's Web API: what it answers, and what it refuses under which name."""

import json
from typing import Any

import aiohttp
import pytest
from slack_sdk.models.blocks import (
    ActionsBlock,
    ButtonElement,
    ConfirmObject,
    ContextBlock,
    HeaderBlock,
    InputBlock,
    MarkdownBlock,
    MarkdownTextObject,
    Option,
    PlainTextInputElement,
    RadioButtonsElement,
    SectionBlock,
)
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.content import METADATA_BYTES
from bot.playground.server import LocalSlack
from tests.support.slack_app import client_of, form, refusal, section

GENERAL = "C0GENERAL"
RANDOM = "C0RANDOM0"
SURE = ConfirmObject(title="Sure?", text="It cannot be undone.", confirm="Yes", deny="No")
CARD = {"event_type": "card", "event_payload": {"key": "k1"}}


def root(slack: LocalSlack) -> str:
    return slack.people["ann"].writes(GENERAL, "good morning")


async def test_auth_test_says_who_the_app_is_and_what_it_may(slack: LocalSlack, client: AsyncWebClient) -> None:
    answer = await client.auth_test()

    assert (answer["user_id"], answer["team_id"]) == (slack.bot_user_id, slack.team_id)
    assert "chat:write" in answer.headers["x-oauth-scopes"].split(",")


async def test_a_call_without_a_token_is_not_authed(slack: LocalSlack) -> None:
    answer = await refusal(AsyncWebClient(base_url=slack.api_url).auth_test())

    assert answer["error"] == "not_authed"


async def test_a_call_with_a_wrong_token_is_refused(slack: LocalSlack) -> None:
    client = AsyncWebClient(token="xoxb-wrong", base_url=slack.api_url)

    assert (await refusal(client.auth_test()))["error"] == "invalid_auth"


async def test_the_token_may_be_in_the_body(slack: LocalSlack) -> None:
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{slack.api_url}auth.test", data={"token": slack.bot_token}) as answer,
    ):
        assert (await answer.json())["ok"] is True


async def test_blocks_may_come_as_json_in_a_form(slack: LocalSlack) -> None:
    body = {"token": slack.bot_token, "channel": GENERAL, "blocks": json.dumps([section("hello")])}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{slack.api_url}chat.postMessage", data=body) as answer,
    ):
        assert (await answer.json())["message"]["blocks"][0]["text"]["text"] == "hello"


async def test_an_unknown_method_is_named_as_such(client: AsyncWebClient) -> None:
    assert (await refusal(client.api_call("chat.shout")))["error"] == "unknown_method"


async def test_a_missing_scope_is_named_with_what_is_there() -> None:
    async with LocalSlack(scopes=["app_mentions:read"]) as slack:
        answer = await refusal(client_of(slack).chat_postMessage(channel=GENERAL, text="hello"))

    assert (answer["error"], answer["needed"], answer["provided"]) == (
        "missing_scope",
        "chat:write",
        "app_mentions:read",
    )


async def test_the_app_token_is_for_connections_only(slack: LocalSlack, client: AsyncWebClient) -> None:
    assert (await refusal(client.auth_test(token=slack.app_token)))["error"] == "not_allowed_token_type"
    assert (await refusal(client.apps_connections_open(app_token=slack.bot_token)))["error"] == "not_allowed_token_type"
    assert (await client.apps_connections_open(app_token=slack.app_token))["url"].startswith("ws://127.0.0.1:")


async def test_timestamps_are_strings_that_grow(client: AsyncWebClient) -> None:
    first = await client.chat_postMessage(channel=GENERAL, text="one")
    second = await client.chat_postMessage(channel=GENERAL, text="two")

    assert (first["ts"], second["ts"]) == ("1700000000.000000", "1700000000.000100")


async def test_a_reply_is_in_its_thread_and_the_root_counts_it(slack: LocalSlack, client: AsyncWebClient) -> None:
    ts = root(slack)
    reply = await client.chat_postMessage(channel=GENERAL, text="hello", thread_ts=ts)

    found = (await client.conversations_replies(channel=GENERAL, ts=ts))["messages"]

    assert [message["ts"] for message in found] == [ts, reply["ts"]]
    assert (found[0]["reply_count"], found[0]["latest_reply"]) == (1, reply["ts"])
    assert found[1]["thread_ts"] == ts
    assert found[1]["bot_id"] == "B0PARLEY0"
    assert [m["ts"] for m in (await client.conversations_history(channel=GENERAL))["messages"]] == [ts]


async def test_a_thread_is_read_page_by_page(slack: LocalSlack, client: AsyncWebClient) -> None:
    ts = root(slack)
    for number in range(5):
        await client.chat_postMessage(channel=GENERAL, text=str(number), thread_ts=ts)

    pages = [page["messages"] async for page in await client.conversations_replies(channel=GENERAL, ts=ts, limit=2)]

    assert [len(page) for page in pages] == [2, 2, 2]
    assert len({message["ts"] for page in pages for message in page}) == 6


async def test_metadata_comes_back_when_it_is_asked_for(client: AsyncWebClient) -> None:
    ts = (await client.chat_postMessage(channel=GENERAL, text="hello", metadata=CARD))["ts"]

    without = await client.conversations_replies(channel=GENERAL, ts=ts)
    with_it = await client.conversations_replies(channel=GENERAL, ts=ts, include_all_metadata=True)

    assert "metadata" not in without["messages"][0]
    assert with_it["messages"][0]["metadata"] == CARD


async def test_metadata_has_a_size_and_a_form(client: AsyncWebClient) -> None:
    large = {"event_type": "card", "event_payload": {"key": "x" * METADATA_BYTES}}

    posted = client.chat_postMessage(channel=GENERAL, text="hello", metadata=large)
    assert (await refusal(posted))["error"] == "metadata_too_large"
    posted = client.chat_postMessage(channel=GENERAL, text="hello", metadata={"key": "k1"})
    assert (await refusal(posted))["error"] == "invalid_metadata_format"


async def test_an_update_keeps_metadata_and_drops_blocks_that_are_not_sent(client: AsyncWebClient) -> None:
    ts = (await client.chat_postMessage(channel=GENERAL, text="a", blocks=form(), metadata=CARD))["ts"]

    changed = (await client.chat_update(channel=GENERAL, ts=ts, text="b"))["message"]

    assert (changed["text"], changed["metadata"], "blocks" in changed) == ("b", CARD, False)


async def test_one_bad_field_refuses_the_whole_message(slack: LocalSlack, client: AsyncWebClient) -> None:
    answer = await refusal(client.chat_postMessage(channel=GENERAL, text="a", blocks=[section(), section("x" * 3_001)]))

    assert answer["error"] == "invalid_blocks"
    assert "/blocks/1/text/text" in answer["response_metadata"]["messages"][0]
    assert slack.messages(GENERAL) == []


async def test_a_message_needs_something_to_show(client: AsyncWebClient) -> None:
    assert (await refusal(client.api_call("chat.postMessage", json={"channel": GENERAL})))["error"] == "no_text"


async def test_a_text_is_cut_at_40000_characters(slack: LocalSlack, client: AsyncWebClient) -> None:
    answer = await client.chat_postMessage(channel=GENERAL, text="x" * 40_001)

    assert answer["response_metadata"]["warnings"] == ["message_truncated"]
    assert len(slack.messages(GENERAL)[0].text) == 40_000


async def test_an_update_takes_4000_characters_and_no_more(client: AsyncWebClient) -> None:
    ts = (await client.chat_postMessage(channel=GENERAL, text="a"))["ts"]

    assert (await client.chat_update(channel=GENERAL, ts=ts, text="x" * 4_000))["ok"]
    assert (await refusal(client.chat_update(channel=GENERAL, ts=ts, text="x" * 4_001)))["error"] == "msg_too_long"


async def test_markdown_text_stands_alone_and_has_12000_characters(client: AsyncWebClient) -> None:
    assert (await client.chat_postMessage(channel=GENERAL, markdown_text="x" * 12_000))["ok"]
    over = client.chat_postMessage(channel=GENERAL, markdown_text="x" * 12_001)
    assert (await refusal(over))["error"] == "msg_too_long"
    both = client.chat_postMessage(channel=GENERAL, markdown_text="x", text="x")
    assert (await refusal(both))["error"] == "markdown_text_conflict"


async def test_channels_the_app_cannot_use_are_refused(slack: LocalSlack, client: AsyncWebClient) -> None:
    hidden = slack.add_channel("secret", [slack.people["ann"]], kind="group", with_app=False)

    assert (await refusal(client.chat_postMessage(channel="C0NOWHERE", text="a")))["error"] == "channel_not_found"
    assert (await refusal(client.chat_postMessage(channel=hidden.id, text="a")))["error"] == "channel_not_found"
    assert (await refusal(client.chat_postMessage(channel=RANDOM, text="a")))["error"] == "not_in_channel"
    assert (await refusal(client.conversations_history(channel=RANDOM)))["error"] == "not_in_channel"


async def test_a_reply_needs_a_thread_that_is_there(slack: LocalSlack, client: AsyncWebClient) -> None:
    reply = (await client.chat_postMessage(channel=GENERAL, text="a", thread_ts=root(slack)))["ts"]

    for thread_ts, error in (("1.0", "thread_not_found"), ("soon", "invalid_thread_ts"), (reply, "invalid_thread_ts")):
        answer = await refusal(client.chat_postMessage(channel=GENERAL, text="a", thread_ts=thread_ts))
        assert answer["error"] == error
    assert (await refusal(client.conversations_replies(channel=GENERAL, ts="1.0")))["error"] == "thread_not_found"


async def test_only_the_apps_own_messages_can_be_changed(slack: LocalSlack, client: AsyncWebClient) -> None:
    ts = root(slack)

    assert (await refusal(client.chat_update(channel=GENERAL, ts="1.0", text="a")))["error"] == "message_not_found"
    assert (await refusal(client.chat_update(channel=GENERAL, ts=ts, text="a")))["error"] == "cant_update_message"
    assert (await refusal(client.chat_delete(channel=GENERAL, ts=ts)))["error"] == "cant_delete_message"


async def test_a_deleted_message_is_gone_and_a_deleted_root_leaves_its_thread(
    slack: LocalSlack, client: AsyncWebClient
) -> None:
    alone = (await client.chat_postMessage(channel=GENERAL, text="a"))["ts"]
    with_reply = (await client.chat_postMessage(channel=GENERAL, text="b"))["ts"]
    slack.people["ann"].writes(GENERAL, "c", thread_ts=with_reply)

    await client.chat_delete(channel=GENERAL, ts=alone)
    await client.chat_delete(channel=GENERAL, ts=with_reply)

    assert slack.thread(GENERAL, alone) == []
    assert [m.text for m in slack.thread(GENERAL, with_reply)] == ["This message was deleted.", "c"]


async def test_a_private_message_is_seen_by_one_and_stored_nowhere(slack: LocalSlack, client: AsyncWebClient) -> None:
    ann, ben = slack.people["ann"], slack.people["ben"]

    ts = (await client.chat_postEphemeral(channel=GENERAL, user=ann.id, text="psst"))["message_ts"]

    assert [m.text for m in slack.ephemerals(ann)] == ["psst"]
    assert slack.ephemerals(ben) == []
    assert (await client.conversations_history(channel=GENERAL))["messages"] == []
    assert (await refusal(client.chat_update(channel=GENERAL, ts=ts, text="a")))["error"] == "message_not_found"


async def test_a_private_message_goes_only_to_who_is_in_the_channel(slack: LocalSlack, client: AsyncWebClient) -> None:
    eve = slack.people["eve"]

    answer = await refusal(client.chat_postEphemeral(channel=GENERAL, user=eve.id, text="psst"))

    assert answer["error"] == "user_not_in_channel"


async def test_a_message_to_a_person_is_a_direct_message(slack: LocalSlack, client: AsyncWebClient) -> None:
    ann = slack.people["ann"]

    posted = await client.chat_postMessage(channel=ann.id, text="hello")
    opened = await client.conversations_open(users=[ann.id])

    assert posted["channel"] == opened["channel"]["id"] == ann.im.id


async def test_people_are_known_with_what_they_are(slack: LocalSlack, client: AsyncWebClient) -> None:
    who = {name: (await client.users_info(user=slack.people[name].id))["user"] for name in ("ann", "gus", "eve")}

    assert [who[name]["is_restricted"] for name in ("ann", "gus", "eve")] == [False, True, False]
    assert who["ann"]["team_id"] == slack.team_id != who["eve"]["team_id"]
    assert (await refusal(client.users_info(user="U0NOBODY0")))["error"] == "user_not_found"


async def test_channels_groups_teams_and_bots_can_be_looked_up(slack: LocalSlack, client: AsyncWebClient) -> None:
    ann, ben = slack.people["ann"], slack.people["ben"]

    assert (await client.conversations_info(channel="C0PARTNER"))["channel"]["is_ext_shared"] is True
    assert ann.id in (await client.conversations_members(channel=GENERAL))["members"]
    assert (await client.usergroups_users_list(usergroup="S0LEADS00"))["users"] == [ann.id, ben.id]
    assert (await refusal(client.usergroups_users_list(usergroup="S0NOBODY0")))["error"] == "no_such_subteam"
    assert (await client.team_info())["team"]["id"] == slack.team_id
    assert (await client.bots_info(bot="B0PARLEY0"))["bot"]["user_id"] == slack.bot_user_id


async def test_a_link_to_a_reply_names_its_thread(slack: LocalSlack, client: AsyncWebClient) -> None:
    ts = root(slack)
    reply = (await client.chat_postMessage(channel=GENERAL, text="a", thread_ts=ts))["ts"]

    link = (await client.chat_getPermalink(channel=GENERAL, message_ts=reply))["permalink"]

    assert link.endswith(f"/archives/{GENERAL}/p{reply.replace('.', '')}?thread_ts={ts}&cid={GENERAL}")


async def test_a_file_is_read_with_the_token_and_only_with_it(slack: LocalSlack, client: AsyncWebClient) -> None:
    ts = slack.people["ann"].writes(GENERAL, "look", files={"notes.txt": b"buy milk"})
    file_id = slack.thread(GENERAL, ts)[0].files[0]
    url = (await client.files_info(file=file_id))["file"]["url_private"]

    async with aiohttp.ClientSession() as session:
        async with session.get(url, headers={"Authorization": f"Bearer {slack.bot_token}"}) as answer:
            assert (await answer.read(), answer.content_type) == (b"buy milk", "text/plain")
        async with session.get(url) as answer:
            assert answer.content_type == "text/html"


async def test_a_status_goes_after_two_minutes_or_with_the_next_message(
    slack: LocalSlack, client: AsyncWebClient
) -> None:
    ts = root(slack)

    await client.assistant_threads_setStatus(channel_id=GENERAL, thread_ts=ts, status="is thinking…")
    assert slack.status(GENERAL, ts) == "is thinking…"
    slack.clock.advance(120)
    assert slack.status(GENERAL, ts) == ""

    await client.assistant_threads_setStatus(channel_id=GENERAL, thread_ts=ts, status="is thinking…")
    await client.chat_postMessage(channel=GENERAL, thread_ts=ts, text="done")
    assert slack.status(GENERAL, ts) == ""


async def test_a_status_has_at_most_ten_loading_messages(slack: LocalSlack, client: AsyncWebClient) -> None:
    call = client.assistant_threads_setStatus(
        channel_id=GENERAL, thread_ts=root(slack), status="a", loading_messages=["b"] * 11
    )

    assert (await refusal(call))["error"] == "invalid_arguments"


async def test_a_session_has_one_of_four_statuses_and_a_title(slack: LocalSlack, client: AsyncWebClient) -> None:
    ts = root(slack)

    for status in ("processing", "active", "suspended", "closed"):
        await client.agents_sessions_setStatus(channel_id=GENERAL, thread_ts=ts, status=status, title="A task")
    await client.agents_sessions_rename(channel_id=GENERAL, thread_ts=ts, title="Another")

    session = slack.session(GENERAL, ts)
    assert session
    assert (session.status, session.title) == ("closed", "Another")
    for words in ({"status": "is thinking…"}, {"status": "active", "title": "x" * 201}):
        call = client.agents_sessions_setStatus(channel_id=GENERAL, thread_ts=ts, **words)
        assert (await refusal(call))["error"] == "invalid_arguments"


async def test_a_session_without_the_stop_event_comes_with_a_warning() -> None:
    async with LocalSlack(events=["app_mention"]) as slack:
        ts = root(slack)
        answer = await client_of(slack).agents_sessions_setStatus(channel_id=GENERAL, thread_ts=ts, status="processing")

    assert answer["warning"] == "missing_agent_session_stopped_event_subscription"


async def test_every_call_is_on_record(slack: LocalSlack, client: AsyncWebClient) -> None:
    await client.chat_postMessage(channel=GENERAL, text="a")
    await refusal(client.chat_postMessage(channel=RANDOM, text="a"))

    assert [(call.method, call.error) for call in slack.calls] == [
        ("chat.postMessage", None),
        ("chat.postMessage", "not_in_channel"),
    ]
    assert len(slack.called("chat.postMessage")) == 1


async def test_what_is_not_json_is_refused(slack: LocalSlack) -> None:
    headers = {"Authorization": f"Bearer {slack.bot_token}", "Content-Type": "application/json"}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{slack.api_url}auth.test", data="{", headers=headers) as answer,
    ):
        assert (await answer.json())["error"] == "invalid_json"


async def test_blocks_that_are_not_a_list_have_the_wrong_format(client: AsyncWebClient) -> None:
    for blocks in ("[", '{"type": "divider"}'):
        answer = await refusal(client.chat_postMessage(channel=GENERAL, text="a", blocks=blocks))
        assert answer["error"] == "invalid_blocks_format"


async def test_another_name_needs_a_scope_of_its_own(client: AsyncWebClient) -> None:
    answer = await refusal(client.chat_postMessage(channel=GENERAL, text="a", username="Somebody"))

    assert (answer["error"], answer["needed"]) == ("missing_scope", "chat:write.customize")


async def test_a_missing_argument_is_named(client: AsyncWebClient) -> None:
    answer = await refusal(client.api_call("chat.postMessage", json={"text": "a"}))

    assert answer["error"] == "invalid_arguments"
    assert answer["response_metadata"]["messages"] == ["[ERROR] missing required field: channel"]


@pytest.mark.parametrize(
    ("more", "error"), [({"limit": 0}, "invalid_arguments"), ({"cursor": "bmV4dDp4"}, "invalid_cursor")]
)
async def test_a_page_that_cannot_be_is_refused(
    slack: LocalSlack, client: AsyncWebClient, more: dict[str, Any], error: str
) -> None:
    answer = await refusal(client.conversations_replies(channel=GENERAL, ts=root(slack), **more))

    assert answer["error"] == error


async def test_history_needs_the_scope_of_its_kind_of_channel() -> None:
    async with LocalSlack(scopes=["channels:history"]) as slack:
        answer = await refusal(client_of(slack).conversations_history(channel="C0LEADS00"))

    assert (answer["error"], answer["needed"]) == ("missing_scope", "groups:history")


async def test_only_an_agent_has_sessions() -> None:
    async with LocalSlack(is_agent=False) as slack:
        call = client_of(slack).agents_sessions_setStatus(channel_id=GENERAL, thread_ts=root(slack), status="active")

        assert (await refusal(call))["error"] == "not_allowed"


async def test_a_session_that_is_not_there_cannot_be_renamed(slack: LocalSlack, client: AsyncWebClient) -> None:
    call = client.agents_sessions_rename(channel_id=GENERAL, thread_ts=root(slack), title="A task")

    assert (await refusal(call))["error"] == "session_not_found"


async def test_what_the_sdks_own_models_build_is_taken(slack: LocalSlack, client: AsyncWebClient) -> None:
    yes = Option(text="Yes", value="1", description="the short one")
    blocks = [
        HeaderBlock(text="Head"),
        SectionBlock(text=MarkdownTextObject(text="*Which?*"), accessory=ButtonElement(text="More", action_id="more")),
        InputBlock(label="Pick", block_id="q1", element=RadioButtonsElement(options=[yes], initial_option=yes)),
        InputBlock(label="Other", optional=True, element=PlainTextInputElement(multiline=True, max_length=3000)),
        ContextBlock(elements=[MarkdownTextObject(text="small")]),
        MarkdownBlock(text="**bold**"),
        ActionsBlock(elements=[ButtonElement(text="Go", style="danger", confirm=SURE)]),
    ]

    await client.chat_postMessage(channel=GENERAL, text="a", blocks=blocks)

    assert slack.messages(GENERAL)[0].buttons == ["More", "Go"]


async def test_a_method_that_only_reads_takes_no_json(slack: LocalSlack) -> None:
    client = client_of(slack)

    refused = await refusal(client.api_call("users.info", json={"user": slack.people["ann"].id}))
    found = await client.users_info(user=slack.people["ann"].id)

    assert refused["error"] == "invalid_arguments"
    assert found["user"]["id"] == slack.people["ann"].id
