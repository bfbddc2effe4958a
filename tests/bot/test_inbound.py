"""Slack's payloads, as kept in tests/support/payloads, become typed values."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.ports import ThreadKey
from bot import ids, inbound
from bot.inbound import File, Picked, Said, Submitted, load

BOT = "U0PARLEY1"
PAYLOADS = Path(__file__).parent.parent / "support" / "payloads"
THREAD = ThreadKey(team="T0ACME001", channel="C0SHIP001", root="1763460000.000100")


def payload(name: str) -> dict[str, Any]:
    body: dict[str, Any] = json.loads((PAYLOADS / f"{name}.json").read_text())
    return body


def parsed(name: str) -> Any:
    return inbound.parse(payload(name), BOT)


def clicked(action_id: str, **changes: Any) -> Any:
    body = payload("block_actions_approve")
    body["actions"][0] |= {"action_id": action_id} | changes
    return inbound.parse(body, BOT)


def says(text: str, **event: Any) -> Said | None:
    body = payload("message_thread_reply")
    body["event"] |= {"text": text} | event
    said = inbound.parse(body, BOT)
    assert said is None or isinstance(said, Said)
    return said


def test_a_mention_is_read_as_people_see_it() -> None:
    assert parsed("app_mention") == Said(
        team="T0ACME001",
        channel="C0SHIP001",
        ts="1763460000.000100",
        user="U0ANN0001",
        user_team="T0ACME001",
        text="ship <v2> to #ops, ask @U0BOB0001; see the runbook (https://acme.test/runbook) & https://acme.test",
        addressed=True,
    )
    assert parsed("app_mention").thread == THREAD


def test_the_two_deliveries_of_a_mention_are_equal() -> None:
    assert parsed("app_mention") == parsed("message_mention")
    assert parsed("app_mention").key == ("said", "T0ACME001", "C0SHIP001", "1763460000.000100")


def test_a_direct_message_is_addressed_to_the_bot() -> None:
    said = parsed("message_im")

    assert (said.addressed, said.direct, said.text) == (True, True, "what is open?")
    assert said.thread.root == said.ts


def test_a_reply_in_a_thread_belongs_to_it_and_is_addressed_to_nobody() -> None:
    said = parsed("message_thread_reply")

    assert (said.addressed, said.direct, said.external, said.thread) == (False, False, False, THREAD)


def test_files_come_with_what_is_known_of_them() -> None:
    said = parsed("message_file_share")

    url = "https://files.slack.test/files-pri/T0ACME001-F0LOG0001/deploy.log"
    assert said.files == (
        File(id="F0LOG0001", name="deploy.log", mimetype="text/plain", size=2048, url_private=url),
        File(id="F0FAR0001"),
    )
    assert said.text == ""


def test_someone_of_another_organisation_is_external_and_the_thread_is_ours() -> None:
    said = parsed("message_shared_channel")

    assert (said.external, said.user_team, said.team) == (True, "T0OTHER01", "T0ACME001")


def test_whose_team_is_unknown_in_a_shared_channel_is_external() -> None:
    body = payload("message_shared_channel")
    del body["event"]["user_team"], body["event"]["team"]

    said = inbound.parse(body, BOT)

    assert isinstance(said, Said)
    assert said.external


def test_one_of_ours_in_a_shared_channel_is_not_external() -> None:
    body = payload("message_shared_channel")
    body["event"] |= {"user_team": "T0ACME001", "team": "T0ACME001"}

    said = inbound.parse(body, BOT)

    assert isinstance(said, Said)
    assert not said.external


@pytest.mark.parametrize("name", ["message_bot", "message_changed"])
def test_other_bots_and_edits_are_ignored(name: str) -> None:
    assert parsed(name) is None


@pytest.mark.parametrize(
    "event",
    [
        {"user": BOT},
        {"subtype": "channel_join"},
        {"subtype": "message_deleted"},
        {"edited": {"user": "U0BOB0001", "ts": "1"}},
        {"text": " "},
        {"text": None},
        {"user": None},
        {"ts": 1763460200.0003},
    ],
)
def test_what_nobody_wrote_to_us_is_ignored(event: dict[str, Any]) -> None:
    assert says(**({"text": "hello"} | event)) is None


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"<@{BOT}> do it", "do it"),
        (f"<@{BOT}|parley>: do it", "do it"),
        (f"  <@{BOT}>, <@{BOT}>\ndo it", "do it"),
        (f"please <@{BOT}> do it", "please do it"),
        (f"do it <@{BOT}>", "do it"),
        (f"<@{BOT}>", ""),
        ("<@U2> and <@U3|cleo>", "@U2 and @cleo"),
        ("<#C1> <#C2|ops> <#C3|>", "#C1 #ops #C3"),
        ("<!here> <!channel> <!subteam^S1|@ops> <!subteam^S1>", "@here @channel @ops @subteam"),
        ("<!date^1763460000^{date}|18 November>", "18 November"),
        ("<https://a.test|a.test> <https://a.test>", "https://a.test https://a.test"),
        ("<mailto:a@b.test|a@b.test> <tel:+4912|+4912>", "a@b.test +4912"),
        ("&lt;@U2&gt; &amp;amp; &amp;lt;", "<@U2> &amp; &lt;"),
        ("a < b > c <d", "a < b > c <d"),
        ("one\n\n  two", "one\n\n  two"),
    ],
)
def test_slacks_markup_becomes_words(text: str, read: str) -> None:
    said = says(text)

    assert said is not None
    assert said.text == read
    assert said.addressed == (BOT in text)


def test_a_submit_carries_what_was_filled_in_and_nothing_else() -> None:
    submitted = parsed("block_actions_submit")

    assert submitted == Submitted(
        team="T0ACME001",
        channel="C0SHIP001",
        message_ts="1763460020.000200",
        thread_ts="1763460000.000100",
        user="U0BOB0001",
        user_team="T0ACME001",
        user_name="bob",
        action_id=ids.SUBMIT,
        action_ts="1763461000.123456",
        trigger_id="8899.112233.abcdef",
        call_id="000001000",
        choices={0: Picked(chosen=(1,)), 1: Picked(chosen=(0, 2), text="or on Sunday")},
    )
    assert submitted.thread == THREAD
    assert not submitted.external


@pytest.mark.parametrize(
    "state",
    [
        None,
        {},
        {"values": None},
        {"values": {"question/000001000/0/0/choice": None}},
        {"values": {"question/000001000/0/0/choice": {}}},
        {"values": {"question/000001000/0/0/choice": {"choice": None}}},
        {"values": {"question/000001000/0/0/choice": {"choice": {"selected_option": None}}}},
        {"values": {"question/000001000/0/0/choice": {"choice": {"selected_options": []}}}},
        {"values": {"question/000001000/0/0/choice": {"choice": {"selected_option": {"value": "x"}}}}},
        {"values": {"question/000001000/0/0/other": {"other": {"value": None}}}},
        {"values": {"question/000001000/0/0/other": {"other": {"value": ""}}}},
        {"values": {"question/000009000/0/0/other": {"other": {"value": "of another ask"}}}},
        {"values": {"x7Yz": {"other": {"value": "of another app"}}}},
    ],
)
def test_whatever_is_missing_is_unanswered(state: Any) -> None:
    body = payload("block_actions_submit") | {"state": state}

    submitted = inbound.parse(body, BOT)

    assert isinstance(submitted, Submitted)
    assert submitted.choices == {}


def test_of_two_revisions_the_newest_counts() -> None:
    body = payload("block_actions_submit")
    body["state"]["values"] = {
        f"question/000001000/0/{revision}/other": {"other": {"value": f"typed into {revision}"}} for revision in (9, 10)
    }

    submitted = inbound.parse(body, BOT)

    assert isinstance(submitted, Submitted)
    assert submitted.choices == {0: Picked(text="typed into 10")}


def test_what_an_older_version_wrote_down_beside_the_answers_is_ignored() -> None:
    submitted = parsed("block_actions_submit")
    assert isinstance(submitted, Submitted)

    older = json.dumps(json.loads(submitted.dump()) | {"revision": 3})

    assert load(older) == submitted


@pytest.mark.parametrize(
    ("action_id", "kind"),
    [
        (ids.SKIP, inbound.Skipped),
        (ids.CANCEL, inbound.Cancelled),
        (ids.SHOW_DETAILS, inbound.DetailsWanted),
        (ids.SHOW_QUESTIONS, inbound.DetailsWanted),
        ("vote.up", inbound.Unknown),
        ("ask.submit.v0", inbound.Unknown),
    ],
)
def test_a_click_is_what_its_action_id_says(action_id: str, kind: type[inbound.Click]) -> None:
    click = clicked(action_id)

    assert type(click) is kind
    assert (click.call_id, click.thread, click.user) == ("000001000", THREAD, "U0BOB0001")
    where = ("T0ACME001", "C0SHIP001", "1763460020.000200", "U0BOB0001")
    assert click.key == ("click", *where, action_id, "1763461000.123456", click.trigger_id)


def test_approve_and_deny_are_decisions() -> None:
    assert parsed("block_actions_approve").approved
    assert not clicked(ids.DENY).approved


def test_a_button_of_ours_without_its_call_is_unknown() -> None:
    assert isinstance(clicked(ids.SUBMIT, value=None), inbound.Unknown)


@pytest.mark.parametrize("action_id", sorted(ids.SILENT))
def test_links_and_inputs_ask_nothing_of_us(action_id: str) -> None:
    assert clicked(action_id) is None


def test_an_organisation_wide_installation_has_the_users_team() -> None:
    skipped = parsed("block_actions_org_install")

    assert skipped.team == "T0ACME001"


def test_a_click_on_a_message_outside_any_thread_belongs_to_that_message() -> None:
    body = payload("block_actions_approve")
    del body["message"]["thread_ts"], body["container"]["thread_ts"]

    click = inbound.parse(body, BOT)

    assert isinstance(click, inbound.Decided)
    assert click.thread.root == "1763460020.000200"


def test_a_reason_comes_with_the_denial_that_it_is_for() -> None:
    body = payload("block_actions_approve")
    body["actions"][0]["action_id"] = ids.DENY
    body["state"] = {"values": {ids.reason_block("000001000"): {ids.REASON: {"value": " not on a Friday "}}}}

    denied = inbound.parse(body, BOT)

    assert isinstance(denied, inbound.Decided)
    assert (denied.approved, denied.reason) == (False, "not on a Friday")


def test_stop_names_the_thread_and_the_streams_that_slack_ended() -> None:
    stop = parsed("agent_session_stopped")

    assert (stop.thread, stop.user, stop.streams) == (THREAD, "U0BOB0001", ("1763460010.000800",))


def test_only_the_home_tab_counts_as_home() -> None:
    body = payload("app_home_opened")
    body["event"]["tab"] = "messages"

    assert parsed("app_home_opened").user == "U0ANN0001"
    assert inbound.parse(body, BOT) is None


@pytest.mark.parametrize("name", sorted(path.stem for path in PAYLOADS.glob("*.json")))
def test_whatever_is_written_down_is_read_back_the_same(name: str) -> None:
    value = parsed(name)

    assert value is None or load(value.dump()) == value


leaves = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just([]) | st.just({})


@given(st.sampled_from(sorted(path.stem for path in PAYLOADS.glob("*.json"))), st.data())
def test_a_mangled_payload_never_raises(name: str, data: st.DataObject) -> None:
    body = copy.deepcopy(payload(name))
    at: Any = body
    while isinstance(at, dict) and at:
        field = data.draw(st.sampled_from(sorted(at)))
        if not isinstance(at[field], dict) or data.draw(st.booleans()):
            at[field] = data.draw(leaves)
            break
        at = at[field]

    value = inbound.parse(body, BOT)

    assert value is None or load(value.dump()) == value


@pytest.mark.parametrize(
    ("event", "gone"),
    [
        ({"type": "app_uninstalled"}, True),
        ({"type": "tokens_revoked", "tokens": {"oauth": [], "bot": ["UBOT"]}}, True),
        ({"type": "tokens_revoked", "tokens": {"oauth": ["U1"]}}, False),
        ({"type": "tokens_revoked", "tokens": "words"}, False),
    ],
)
def test_the_bots_own_token_is_gone_or_it_is_not(event: dict[str, Any], gone: bool) -> None:
    body = {"type": "event_callback", "team_id": "T1", "event_id": "Ev1", "event": event}

    assert inbound.parse(body, "UBOT") == (inbound.Uninstalled(team="T1", user="", ts="Ev1") if gone else None)


def test_a_click_in_a_shared_channel_is_first_for_the_team_whose_bot_posted() -> None:
    body = {
        "type": "block_actions",
        "team": {"id": "T2"},
        "user": {"id": "U2", "team_id": "T2"},
        "message": {"bot_id": "B1", "team": "T1"},
    }

    assert inbound.teams(body) == ["T1", "T2"]


def test_an_event_in_a_shared_channel_is_first_for_the_team_that_installed() -> None:
    body = {"type": "event_callback", "team_id": "T2", "authorizations": [{"team_id": "T1"}], "event": {}}

    assert inbound.teams(body) == ["T1"]
