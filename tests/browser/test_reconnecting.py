"""The playground goes away and comes back at the same address: what the page shows is what is sent."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Locator, WebSocket, expect
from slack_bolt.async_app import AsyncAck

from bot.playground.server import LocalSlack
from tests.browser.conftest import NewTab
from tests.support.browser import Tab
from tests.support.slack_app import actions, app_on, asking, button, client_of, connected, form, radio, typed

pytestmark = pytest.mark.asyncio(loop_scope="session")

GENERAL = "C0GENERAL"


class Coming:
    """A local Slack with an app that notes every submission; both can go and come back where they were."""

    def __init__(self, folder: Path) -> None:
        self._file, self._port = folder / "workspace.db", 0
        self.submitted: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def come(self) -> None:
        self.slack = await LocalSlack(port=self._port, kept_in=self._file).__aenter__()
        self._port = int(self.slack.core.url.rpartition(":")[2])
        app = app_on(self.slack)

        @app.action("submit")
        async def on_submit(ack: AsyncAck, body: dict[str, Any]) -> None:
            await ack()
            self.submitted.put_nowait(body["state"]["values"])

        self._app = connected(app, self.slack)
        await self._app.__aenter__()

    async def go(self) -> None:
        await self._app.__aexit__(None, None, None)
        await self.slack.__aexit__(None, None, None)

    async def asks(self, *blocks: dict[str, Any]) -> None:
        await client_of(self.slack).chat_postMessage(channel=GENERAL, text="a form", blocks=list(blocks) or form())


@pytest_asyncio.fixture(loop_scope="session")
async def coming(tmp_path: Path, browser: object) -> AsyncIterator[Coming]:
    coming = Coming(tmp_path)
    await coming.come()
    yield coming
    await coming.go()


@pytest_asyncio.fixture(loop_scope="session")
async def ann(coming: Coming, visit: NewTab) -> AsyncIterator[Tab]:
    ann = await visit(coming.slack.core.url)
    yield ann
    ann.complaints.clear()  # its playground went away, and it said so


def lost(tab: Tab) -> Locator:
    return tab.page.get_by_text("Reconnecting…", exact=True)


async def test_what_was_chosen_and_typed_while_the_playground_was_gone_is_submitted(coming: Coming, ann: Tab) -> None:
    await coming.asks()
    await ann.messages.get_by_role("radio", name="Postgres").check()
    await coming.go()
    await expect(lost(ann)).to_be_visible()

    await ann.messages.get_by_role("radio", name="SQLite").check()
    await ann.messages.get_by_role("textbox").fill("or neither")
    await coming.come()
    await expect(lost(ann)).to_be_hidden()
    await expect(ann.messages.get_by_role("radio", name="SQLite")).to_be_checked()
    await ann.messages.get_by_role("button", name="Submit").click()

    values = await coming.submitted.get()
    assert values["q1/choice"]["choice"]["selected_option"]["text"]["text"] == "SQLite"
    assert values["q1/other"]["other"]["value"] == "or neither"


async def test_it_is_there_for_others_of_the_same_person_even_before_anything_is_pressed(
    coming: Coming, ann: Tab
) -> None:
    await coming.asks()
    await expect(ann.messages.get_by_role("textbox")).to_be_visible()
    await coming.go()
    await ann.messages.get_by_role("textbox").fill("written alone")
    await coming.come()

    await expect(lost(ann)).to_be_hidden()
    await ann.page.reload()

    await expect(ann.messages.get_by_role("textbox")).to_have_value("written alone")


async def test_a_text_that_is_too_long_is_not_submitted_as_an_older_one(coming: Coming, ann: Tab) -> None:
    await coming.asks(asking(typed(max_length=10), "q1/other"), actions(button()))
    field, submit = ann.messages.get_by_role("textbox"), ann.messages.get_by_role("button", name="Submit")
    await field.fill("short")

    await field.fill("much too long")
    await submit.click()

    await expect(ann.page.get_by_text("This field takes at most 10 characters.")).to_be_visible()
    await expect(field).to_be_focused()
    await expect(ann.messages.get_by_text("3 too many")).to_be_visible()
    assert coming.submitted.empty()
    await field.fill("shorter")
    await submit.click()
    assert (await coming.submitted.get())["q1/other"]["other"]["value"] == "shorter"


async def test_what_the_app_could_not_be_told_is_not_shown_as_if_it_knew(coming: Coming, ann: Tab) -> None:
    await coming.asks({"type": "actions", "block_id": "now", "elements": [radio("Yes", "No")]})
    await expect(ann.messages.get_by_role("radio", name="No")).to_be_visible()
    await coming.go()
    await expect(lost(ann)).to_be_visible()

    await ann.messages.get_by_role("radio", name="No").click()

    await expect(ann.page.get_by_text("Nothing was sent.")).to_be_visible()
    await expect(ann.messages.get_by_role("radio", name="No")).not_to_be_checked()
    await coming.come()


async def test_an_attempt_to_connect_that_was_given_up_never_comes_about(coming: Coming, ann: Tab) -> None:
    sockets: list[WebSocket] = []
    ann.page.on("websocket", lambda socket: sockets.append(socket))
    await expect(ann.composer).to_be_visible()
    port = int(coming.slack.core.url.rpartition(":")[2])
    await coming.go()
    callers: list[asyncio.StreamWriter] = []
    silent = await asyncio.start_server(lambda _reader, writer: callers.append(writer), "127.0.0.1", port)
    async with ann.page.expect_websocket():  # nobody answers it
        await ann.page.get_by_role("button", name="Try now").click()

    async with ann.page.expect_websocket():
        await ann.page.get_by_role("button", name="Try now").click()

    assert [socket.is_closed() for socket in sockets][-2:] == [True, False]
    silent.close()
    for caller in callers:
        caller.close()
    await coming.come()
    await expect(lost(ann)).to_be_hidden()


async def test_one_goes_on_writing_while_the_playground_is_gone(coming: Coming, ann: Tab) -> None:
    await ann.composer.press_sequentially("half a ")
    await coming.go()
    await expect(lost(ann)).to_be_visible()

    await ann.page.keyboard.type("sentence")
    await ann.page.keyboard.press("Enter")
    await expect(ann.page.get_by_text("Reconnecting… your draft is kept")).to_be_visible()
    await coming.come()
    await expect(lost(ann)).to_be_hidden()

    await expect(ann.composer).to_be_focused()
    await expect(ann.composer).to_have_value("half a sentence")
    await ann.page.keyboard.press("Enter")
    await expect(ann.messages.get_by_text("half a sentence")).to_be_visible()
