"""Parley in two workspaces: neither sees anything of the other, and each can remove it and have it back."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import aiohttp
import pytest

from bot.encryption import new_key
from bot.playground.control import Control
from bot.playground.installs import CLIENT_ID, CLIENT_SECRET
from bot.playground.workspace import Message, Team
from bot.settings import BadSettings
from tests.support.slack_world import SlackWorld

PUBLIC_URL = "https://parley.example.com"
OTHER = Team("T0OTHERHQ", "Other HQ", "other-hq")


def ask(question: str) -> dict[str, Any]:
    return {"questions": [{"question": question, "options": ["Yes", "No"]}]}


@dataclass
class Two:
    """Two workspaces with the same ids of people and channels, in both of which Parley can be installed."""

    world: SlackWorld
    other: Control
    browser: aiohttp.ClientSession

    @property
    def home(self) -> Control:
        return self.world.slack

    async def install(self, place: Control) -> tuple[int, str]:
        """As a person does it in a browser, from the link to the last page."""
        status, cookie, authorize = await self.asks(place)
        assert status == 200
        async with self.browser.get(authorize, allow_redirects=False) as consent:
            back = urlsplit(consent.headers["Location"])
        assert f"{back.scheme}://{back.netloc}" == PUBLIC_URL
        return await self.returns(f"{back.path}?{back.query}", cookie)

    async def asks(self, place: Control) -> tuple[int, str, str]:
        """The first page: its status, the cookie it leaves, and where its button leads."""
        async with self.browser.get(f"{self.world.url}/slack/install?team={place.team_id}") as response:
            page = await response.text()
            cookie = response.headers["Set-Cookie"].partition(";")[0]
        return response.status, cookie, page.partition('<a href="')[2].partition('"')[0].replace("&amp;", "&")

    async def returns(self, path: str, cookie: str) -> tuple[int, str]:
        async with self.browser.get(f"{self.world.url}{path}", headers={"Cookie": cookie}) as response:
            return response.status, await response.text()

    def same_time(self) -> None:
        """What is written next in the one and in the other has the same timestamp."""
        later = (int(self.home.clock.now()) + 60) * 1_000_000
        for place in (self.home, self.other):
            place.core.workspace.last_ts = later

    def installed(self) -> list[tuple[str, str]]:
        """The teams and tokens in the database, as they stand there."""
        with closing(sqlite3.connect(self.world.database_url.removeprefix("sqlite:///"))) as connection:
            return list(connection.execute("SELECT team_id, bot_token FROM slack_bots ORDER BY team_id"))


@pytest.fixture
async def two(tmp_path: Path) -> AsyncIterator[Two]:
    settings: dict[str, Any] = {
        "slack_bot_token": None,
        "slack_client_id": CLIENT_ID,
        "slack_client_secret": CLIENT_SECRET,
        "parley_public_url": PUBLIC_URL,
        "parley_encryption_key": new_key(),
    }
    jar = aiohttp.DummyCookieJar()
    async with (
        SlackWorld(f"sqlite:///{tmp_path}/parley.db", http=True, **settings) as world,
        aiohttp.ClientSession(cookie_jar=jar) as browser,
    ):
        other = world.slack.add_workspace(OTHER)
        await world.start()
        yield Two(world, other, browser)


@pytest.fixture
async def both(two: Two) -> Two:
    for place in (two.home, two.other):
        assert (await two.install(place))[0] == 200
    return two


def shown(place: Control, ts: str) -> list[Message]:
    thread = place.thread(place.channels["general"], ts)
    return [message for message in thread if message.user == place.bot_user_id]


def words(place: Control, ts: str) -> str:
    return "\n".join(message.words for message in shown(place, ts))


async def reads(place: Control, ts: str, text: str) -> None:
    await place.until(lambda: text in words(place, ts))


async def starts(place: Control, text: str) -> str:
    return place.people["ann"].mentions(place.channels["general"], text)


async def test_threads_with_the_same_ids_in_both_are_two_threads(both: Two) -> None:
    both.world.model.will_ask(ask("Ship from home?"))
    both.same_time()
    here = await starts(both.home, "ship from home")
    await reads(both.home, here, "Ship from home?")
    both.world.model.will_ask(ask("Ship from the other?"))
    there = await starts(both.other, "ship from the other")
    await reads(both.other, there, "Ship from the other?")

    assert here == there
    assert "other" not in words(both.home, here)
    assert "home" not in words(both.other, there)
    assert "from home" not in str(both.world.model.requests[1])


async def test_an_answer_counts_only_where_it_was_given(both: Two) -> None:
    both.same_time()
    tses = []
    for place in (both.home, both.other):
        both.world.model.will_ask(ask("Ship?"))
        tses.append(await starts(place, "ship"))
        await reads(place, tses[-1], "Ship?")
    assert len(set(tses)) == 1
    [form] = shown(both.other, tses[1])

    both.world.model.will_say("Shipped.")
    ann = both.other.people["ann"]
    ann.chooses(form, 1, "Yes")
    assert (await ann.clicks(form, "Submit")).acked
    await reads(both.other, tses[1], "Shipped.")

    assert "Submit" in shown(both.home, tses[0])[0].buttons
    assert "Shipped." not in words(both.home, tses[0])


async def test_each_home_tab_shows_what_waits_there(both: Two) -> None:
    for place, question in ((both.home, "Ship from home?"), (both.other, "Ship from the other?")):
        both.world.model.will_ask(ask(question))
        await reads(place, await starts(place, "ship"), question)
        place.people["ann"].opens_home()

    def tab(place: Control) -> str:
        view = place.home(place.people["ann"])
        return view.words if view else ""

    await both.home.until(lambda: "Ship from home?" in tab(both.home))
    await both.other.until(lambda: "Ship from the other?" in tab(both.other))
    assert "Ship from the other?" not in tab(both.home)
    assert "Ship from home?" not in tab(both.other)


async def test_a_question_in_one_costs_no_call_in_the_other(both: Two) -> None:
    for place in (both.home, both.other):
        place.people["ann"].opens_home()
    await both.other.until(lambda: both.other.called("views.publish"))
    before = len(both.other.calls)

    for published, question in enumerate(("Ship?", "Really?", "Now?"), 2):
        both.world.model.will_ask(ask(question))
        await reads(both.home, await starts(both.home, "ship"), question)
        await both.home.until(lambda most=published: len(both.home.called("views.publish")) >= most)

    assert len(both.other.calls) == before


async def test_one_that_cannot_be_reached_does_not_hold_up_the_other(both: Two) -> None:
    await both.world.restart()
    both.other.fail("auth.test", status=503, times=-1)

    both.other.people["ann"].opens_home()
    await both.other.until(lambda: [call for call in both.other.calls if call.status == 503])
    both.home.people["ann"].opens_home()
    await both.home.until(lambda: both.home.home(both.home.people["ann"]))
    both.other.heal()

    await both.other.until(lambda: both.other.home(both.other.people["ann"]), 20)


@pytest.mark.parametrize("error", ["invalid_auth", "access_denied", "ekm_access_denied"])
async def test_what_was_acked_waits_while_slack_refuses_to_know_us(both: Two, error: str) -> None:
    await both.world.restart()
    both.other.fail("auth.test", error=error, times=2)
    both.world.model.will_say("Here I am.")

    await reads(both.other, await starts(both.other, "hello?"), "Here I am.")

    assert len(both.installed()) == 2


async def test_a_workspace_in_which_nothing_happens_costs_no_call_at_the_start(both: Two) -> None:
    before = len(both.home.calls), len(both.other.calls)

    await both.world.restart()

    assert (len(both.home.calls), len(both.other.calls)) == before


async def test_tokens_are_never_in_the_database_in_clear(both: Two) -> None:
    assert [team for team, _ in both.installed()] == [both.home.team_id, OTHER.id]
    await both.world.stop()

    files = Path(both.world.database_url.removeprefix("sqlite:///")).parent.iterdir()
    written = b"".join(file.read_bytes() for file in files)

    assert b"slack_installations" in written
    for place in (both.home, both.other):
        assert place.core.app.bot_token.encode() not in written
    assert CLIENT_SECRET.encode() not in written


async def test_a_restart_goes_on_in_both(both: Two) -> None:
    tses = []
    for place in (both.home, both.other):
        both.world.model.will_hang()
        tses.append(await starts(place, "think hard"))
        await both.world.model.asked(len(tses))
    await both.world.stop()
    both.world.model.will_say("Here I am again.")
    both.world.model.will_say("Here I am again.")

    await both.world.start()

    for place, ts in zip((both.home, both.other), tses, strict=True):
        await reads(place, ts, "Here I am again.")


async def test_a_workspace_that_removes_it_is_left_alone_and_the_other_is_not(both: Two) -> None:
    both.world.model.will_hang()
    ts = await starts(both.other, "think hard")
    await both.world.model.asked(1)

    both.world.slack.installs.uninstall(both.other.core)
    await both.other.until(lambda: [team for team, _ in both.installed()] == [both.home.team_id])
    await both.home.until(lambda: both.world.state(ts) == "stopped")

    assert all(delivery.acked for delivery in both.other.deliveries)
    both.world.model.will_say("Still here.")
    await reads(both.home, await starts(both.home, "hello?"), "Still here.")


async def test_what_comes_from_where_it_is_not_installed_is_acked_and_forgotten(two: Two) -> None:
    await two.install(two.home)

    await starts(two.other, "hello?")
    await two.other.until(lambda: two.other.deliveries and all(d.acked for d in two.other.deliveries))

    assert two.world.inbox() == []
    assert two.other.calls == []


async def test_a_workspace_that_has_it_back_goes_on_with_its_open_question(both: Two) -> None:
    both.world.model.will_ask(ask("Ship?"))
    ts = await starts(both.other, "ship")
    await reads(both.other, ts, "Ship?")
    old = both.other.core.app.bot_token
    both.world.slack.installs.uninstall(both.other.core)
    await both.other.until(lambda: len(both.installed()) == 1)

    assert (await both.install(both.other))[0] == 200

    assert both.other.core.app.bot_token != old
    both.world.model.will_say("Shipped.")
    [form] = shown(both.other, ts)
    ann = both.other.people["ann"]
    ann.chooses(form, 1, "Yes")
    assert (await ann.clicks(form, "Submit")).acked
    await reads(both.other, ts, "Shipped.")


async def test_a_run_that_was_cut_off_by_the_removal_says_so_once_it_is_back(both: Two) -> None:
    both.world.model.will_hang()
    ts = await starts(both.other, "think hard")
    await both.world.model.asked(1)
    both.world.slack.installs.uninstall(both.other.core)
    await both.other.until(lambda: len(both.installed()) == 1)

    await both.install(both.other)

    await reads(both.other, ts, "Stopped.")


async def test_a_token_that_is_revoked_without_a_word_is_found_out_by_the_next_call(both: Two) -> None:
    both.world.slack.installs.take_token(both.other.core, tell=False)

    await starts(both.other, "hello?")
    await both.other.until(lambda: len(both.installed()) == 1)

    assert both.installed()[0][0] == both.home.team_id
    both.world.model.will_say("Still here.")
    await reads(both.home, await starts(both.home, "hello?"), "Still here.")


async def test_a_removal_that_is_told_late_does_not_take_the_new_installation_away(both: Two) -> None:
    both.other.hold_events()
    both.world.slack.installs.uninstall(both.other.core)
    await both.install(both.other)
    both.other.release_events()
    await both.other.until(lambda: all(delivery.acked for delivery in both.other.deliveries))

    both.world.model.will_say("Here I am.")
    await reads(both.other, await starts(both.other, "hello?"), "Here I am.")
    assert len(both.installed()) == 2


async def test_each_is_reminded_of_its_own_question(both: Two) -> None:
    await both.world.stop()
    await both.world.start(parley_remind_after_hours=2, parley_working_hours="0-24")
    tses = {}
    for place, question in ((both.home, "Ship from home?"), (both.other, "Ship from the other?")):
        both.world.model.will_ask(ask(question))
        tses[question] = await starts(place, "ship")
        await reads(place, tses[question], question)
    await both.world.at_rest()

    both.home.clock.advance(3 * 3_600)

    await reads(both.home, tses["Ship from home?"], "Still waiting for an answer: Ship from home?")
    await reads(both.other, tses["Ship from the other?"], "Still waiting for an answer: Ship from the other?")


async def test_no_one_is_reminded_and_nothing_expires_where_it_was_removed(both: Two) -> None:
    await both.world.stop()
    await both.world.start(parley_remind_after_hours=2, parley_expire_after_hours=4, parley_working_hours="0-24")
    both.world.model.will_ask(ask("Ship?"))
    ts = await starts(both.other, "ship")
    await reads(both.other, ts, "Ship?")
    await both.other.until(lambda: both.other.called("chat.postMessage"))
    both.world.slack.installs.uninstall(both.other.core)
    await both.other.until(lambda: len(both.installed()) == 1)
    calls = len(both.other.calls)

    both.world.model.will_ask(ask("Ship from home?"))
    here = await starts(both.home, "ship")
    await reads(both.home, here, "Ship from home?")
    await both.world.at_rest()
    both.home.clock.advance(3 * 3_600)
    await reads(both.home, here, "Still waiting")  # so those of the other were due, too
    both.world.model.will_say("Then I decide.")
    both.home.clock.advance(3 * 3_600)
    await reads(both.home, here, "Then I decide.")

    assert len(both.other.calls) == calls
    assert both.world.state(ts) == "waiting"


async def test_a_whole_organisation_is_refused_with_a_sentence(two: Two) -> None:
    two.world.slack.installs.org_wide = True

    status, page = await two.install(two.home)

    assert status == 400
    assert "choose one workspace, not the whole organisation" in page
    assert two.installed() == []


async def test_an_installation_that_someone_else_began_is_refused(two: Two) -> None:
    _, _, authorize = await two.asks(two.home)
    async with two.browser.get(authorize, allow_redirects=False) as consent:
        back = urlsplit(consent.headers["Location"])

    status, _ = await two.returns(f"{back.path}?{back.query}", "slack-app-oauth-state=another")

    assert status == 400
    assert two.installed() == []


async def test_a_link_back_is_good_once(two: Two) -> None:
    _, cookie, authorize = await two.asks(two.home)
    async with two.browser.get(authorize, allow_redirects=False) as consent:
        back = urlsplit(consent.headers["Location"])

    first = await two.returns(f"{back.path}?{back.query}", cookie)
    second = await two.returns(f"{back.path}?{back.query}", cookie)

    assert (first[0], second[0]) == (200, 401)


@pytest.mark.parametrize(
    "query", ["", "?error=access_denied", "?error=<script>", "?code=1&state=2", "?code=%00&state="]
)
async def test_a_link_back_that_is_made_up_leads_to_a_page_that_says_so(two: Two, query: str) -> None:
    status, page = await two.returns(f"/slack/oauth_redirect{query}", "")

    assert status in (200, 400, 401)
    assert "Something Went Wrong" in page
    assert "<script>" not in page
    assert two.installed() == []


async def test_only_the_scopes_of_the_manifest_are_asked_for(two: Two) -> None:
    _, _, authorize = await two.asks(two.home)

    asked = dict(parse_qsl(urlsplit(authorize).query))
    assert "chat:write" in asked["scope"].split(",")
    assert "user_scope" not in asked
    assert asked["redirect_uri"] == f"{PUBLIC_URL}/slack/oauth_redirect"


async def test_a_new_key_takes_over_and_the_old_one_can_go(both: Two) -> None:
    old = both.world.settings.parley_encryption_key
    assert old
    new = new_key()
    await both.world.stop()

    await both.world.start(parley_encryption_key=f"{new},{old.get_secret_value()}")
    await both.world.stop()
    await both.world.start(parley_encryption_key=new)

    both.world.model.will_say("Here I am.")
    await reads(both.other, await starts(both.other, "hello?"), "Here I am.")


async def test_a_key_that_does_not_fit_stops_the_start_with_a_sentence(both: Two) -> None:
    await both.world.stop()

    with pytest.raises(BadSettings, match="PARLEY_ENCRYPTION_KEY does not fit the tokens in the database"):
        await both.world.start(parley_encryption_key=new_key())
