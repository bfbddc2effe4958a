"""`parley run` without Slack's tokens: a Slack of its own, with the real Parley in it, through kills and restarts."""

import asyncio
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot import play
from bot.playground.core import App
from bot.playground.scripted_model import PROMPTS
from bot.playground.server import LocalSlack
from bot.settings import Settings
from tests.support.page import Page, page
from tests.support.scripted_model import ScriptedModel

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]
SECONDS = 40
GENERAL = "C0GENERAL"


class Playground:
    """A process; what it printed, and where it is."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.said = ""

    @property
    def url(self) -> str:
        found = re.search(r"http://127\.0\.0\.1:\d+", self.said)
        assert found, self.said
        return found[0]

    async def ready(self) -> None:
        assert self.process.stdout
        async with asyncio.timeout(SECONDS):
            while "--reset" not in self.said:
                line = await self.process.stdout.readline()
                assert line, (await self.ends())[1]
                self.said += line.decode()

    async def ends(self) -> tuple[int, str]:
        """The code, and what was said on standard error."""
        async with asyncio.timeout(SECONDS):
            out, err = await self.process.communicate()
        self.said += out.decode()
        assert self.process.returncode is not None
        return self.process.returncode, err.decode()

    async def killed(self) -> None:
        self.process.kill()
        await self.ends()


@asynccontextmanager
async def started(folder: Path, *command: str, **variables: str) -> AsyncIterator[Playground]:
    ours = ("OPENAI_", "PARLEY_", "DATABASE_", "SLACK_")
    env = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *(command or ("playground", "--port", "0", "--no-open"))),
        env=env | {"PYTHONPATH": str(ROOT)} | variables,
        cwd=folder,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    playground = Playground(process)
    try:
        yield playground
    finally:
        if process.returncode is None:
            await playground.killed()


@asynccontextmanager
async def running(folder: Path, *command: str, **variables: str) -> AsyncIterator[Playground]:
    async with started(folder, *command, **variables) as playground:
        await playground.ready()
        yield playground


@contextmanager
def taken() -> Iterator[int]:
    """A port of this machine that somebody else has."""
    with closing(socket.socket()) as somebody:
        somebody.bind(("127.0.0.1", 0))
        somebody.listen()
        yield somebody.getsockname()[1]


def buttons(message: Json) -> dict[str, tuple[str, str]]:
    """Each button by its words: where it is."""
    return {
        element["text"]["text"]: (block["block_id"], element["action_id"])
        for block in message["blocks"]
        if block["type"] == "actions"
        for element in block["elements"]
    }


def form(shown: Page) -> Json | None:
    return next((message for message in shown.messages() if message["by_app"] and "Submit" in buttons(message)), None)


def first_choice(message: Json) -> tuple[str, str]:
    block = next(b for b in message["blocks"] if b.get("element", {}).get("type") == "radio_buttons")
    return block["block_id"], block["element"]["action_id"]


def of(message: Json) -> Json:
    return {"channel": message["channel"], "ts": message["ts"]}


async def test_it_says_where_it_is_answers_by_the_script_and_stops_when_told(tmp_path: Path) -> None:
    async with running(tmp_path, "run") as playground:
        assert "The model is scripted" in playground.said
        assert "Ctrl-C stops it" in playground.said
        async with page(playground.url) as ann:
            advice = "For a real model, put OPENAI_API_KEY and OPENAI_MODEL into .env and start again."
            assert ann.table["app"]["advice"] == advice
            assert ann.table["app"]["prompts"] == list(PROMPTS)
            await ann.ask("write", channel=GENERAL, text=f"@parley {PROMPTS[0]}")
            await ann.until(lambda _: form(ann))
            playground.process.send_signal(signal.SIGINT)
            code, complaints = await playground.ends()

    assert (code, complaints) == (0, "")
    kept = sorted(file.name for file in (tmp_path / ".playground").iterdir())
    assert [name for name in kept if not name.endswith(".lock")] == ["parley.db", "workspace.db"]


async def test_a_proxy_in_the_environment_does_not_stand_between_it_and_itself(tmp_path: Path) -> None:
    away = "http://127.0.0.1:9"
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"), away)

    async with running(tmp_path, **proxies) as playground, page(playground.url) as ann:
        await ann.ask("write", channel=GENERAL, text=f"@parley {PROMPTS[0]}")

        assert await ann.until(lambda _: form(ann))


async def test_a_kill_loses_nothing_and_the_question_can_still_be_answered(tmp_path: Path) -> None:
    async with running(tmp_path) as first, page(first.url) as ann:
        await ann.ask("write", channel=GENERAL, text=f"@parley {PROMPTS[0]}")
        asked = await ann.until(lambda _: form(ann))
        block_id, action_id = first_choice(asked)
        await ann.ask("fill", surface=of(asked), block_id=block_id, action_id=action_id, value=0)
        await ann.ask("pass", seconds=3_600)
        before = ann.messages()
        await first.killed()

    async with running(tmp_path) as second, page(second.url) as ann:
        found = {message["ts"]: message for message in ann.messages()}
        assert all(found[message["ts"]]["text"] == message["text"] for message in before)
        assert ann.table["trouble"]["ahead"] >= 3_600
        again = await ann.until(lambda _: form(ann))
        assert again["form"][block_id][action_id]["selected_option"] is not None
        block_id, action_id = buttons(again)["Submit"]
        assert (await ann.ask("click", surface=of(again), block_id=block_id, action_id=action_id))["error"] == ""
        await ann.until(lambda table: "Submit" not in buttons(table[f"message/{GENERAL}/{again['ts']}"]))
        await ann.until(lambda _: max(ann.messages(), key=lambda message: message["ts"])["ts"] > again["ts"])


async def test_a_reminder_comes_when_time_passes(tmp_path: Path) -> None:
    async with running(tmp_path) as playground, page(playground.url) as ann:
        await ann.ask("write", channel=GENERAL, text=f"@parley {PROMPTS[0]}")
        await ann.until(lambda _: form(ann))
        await ann.ask("pass", seconds=25 * 3_600)
        await ann.until(lambda _: [m for m in ann.messages() if "Still waiting" in m["text"]])


async def test_a_real_model_is_asked_when_one_is_named(tmp_path: Path) -> None:
    async with ScriptedModel() as model:
        model.will_say("hello from afar")
        key = {"OPENAI_API_KEY": "sk-x", "OPENAI_MODEL": "gpt-real", "OPENAI_BASE_URL": model.base_url}
        async with running(tmp_path, **key) as playground, page(playground.url) as ann:
            assert "The model is gpt-real." in playground.said
            assert ann.table["app"]["advice"] == ""
            await ann.ask("write", channel=GENERAL, text="@parley hello")
            await ann.until(lambda _: [m for m in ann.messages() if m["by_app"] and "from afar" in m["text"]])


@pytest.mark.parametrize(("given", "other"), [("OPENAI_API_KEY", "OPENAI_MODEL"), ("OPENAI_MODEL", "OPENAI_API_KEY")])
async def test_of_half_a_model_only_the_other_half_is_asked_for(given: str, other: str, tmp_path: Path) -> None:
    advice = f"For a real model, put {other} into .env too and start again."
    async with running(tmp_path, **{given: "sk-x"}) as playground, page(playground.url) as ann:
        assert f"The model is scripted: it knows a few stories. {advice}\n" in playground.said
        assert ann.table["app"]["advice"] == advice
        await ann.ask("write", channel=GENERAL, text="@parley hello")
        await ann.until(lambda _: [m for m in ann.messages() if m["by_app"] and advice in m["text"]])


async def test_nobody_knows_its_tokens_beforehand(tmp_path: Path) -> None:
    async with running(tmp_path) as playground, aiohttp.ClientSession() as web:
        answer = await web.get(f"{playground.url}/api/auth.test?token={App().bot_token}")
        assert (await answer.json())["error"] == "invalid_auth"


async def test_a_port_that_is_taken_is_left_to_whoever_has_it(tmp_path: Path) -> None:
    with taken() as port:
        async with running(tmp_path, "playground", "--port", str(port), "--no-open") as playground:
            assert f"(port {port} is taken)" in playground.said
            assert not playground.url.endswith(f":{port}")
            async with page(playground.url) as ann:
                assert ann.table["app"]["connected"] >= 1


async def test_only_one_runs_in_a_directory_and_is_not_reset_under_way(tmp_path: Path) -> None:
    async with running(tmp_path) as playground, page(playground.url) as ann:
        for more in ([], ["--reset"]):
            async with started(tmp_path, "playground", "--port", "0", "--no-open", *more) as second:
                code, complaint = await second.ends()
            assert (code, second.said) == (1, "")
            assert complaint == "parley: Another playground is already running on .playground: stop it first.\n"
        assert (await ann.ask("write", channel=GENERAL, text="still here"))["error"] == ""


async def test_a_reset_begins_anew_and_removes_only_what_is_its_own(tmp_path: Path) -> None:
    async with running(tmp_path) as playground, page(playground.url) as ann:
        await ann.ask("write", channel=GENERAL, text="old")
        await playground.killed()
    (tmp_path / ".playground" / "notes.txt").write_text("mine")

    async with running(tmp_path, "playground", "--port", "0", "--no-open", "--reset") as again:
        assert "Removed .playground/workspace.db and .playground/parley.db." in again.said
        async with page(again.url) as ann:
            assert ann.messages() == []

    assert (tmp_path / ".playground" / "notes.txt").read_text() == "mine"


async def test_a_workspace_that_cannot_be_read_is_kept_and_the_way_out_is_said(tmp_path: Path) -> None:
    (tmp_path / ".playground").mkdir()
    (tmp_path / ".playground" / "workspace.db").write_text("nonsense" * 1_000)

    async with started(tmp_path) as playground:
        code, complaint = await playground.ends()

    assert code == 1
    assert complaint == (
        "parley: The playground's workspace (.playground/workspace.db) cannot be read: file is not a database. "
        "`python -m bot playground --reset` begins with a new one.\n"
    )
    assert (tmp_path / ".playground" / "workspace.db").read_text() == "nonsense" * 1_000
    async with running(tmp_path, "playground", "--port", "0", "--no-open", "--reset"):
        pass


async def test_the_scripted_model_answers_no_page_from_elsewhere(tmp_path: Path) -> None:
    body = {"model": "scripted", "messages": [{"role": "user", "content": "hello"}]}
    async with running(tmp_path) as playground, aiohttp.ClientSession() as web:
        address = f"{playground.url}/v1/chat/completions"
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
            assert (await web.post(address, json=body, headers=headers)).status == 403
        assert (await web.post(address, json=body)).status == 200


async def said_by_play() -> str:
    """The first thing that it says, after which it is ended."""
    said: list[str] = []
    ended = asyncio.Event()

    def say(words: str) -> None:
        said.append(words)
        ended.set()

    await play.play(Settings(_env_file=None), ended, say, port=0, browse=False)  # type: ignore[call-arg]
    return said[0]


async def test_its_own_slack_and_database_replace_those_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", "postgresql://nowhere/parley")
    monkeypatch.setenv("PARLEY_LOG_LEVEL", "error")

    assert "Parley is in a Slack of its own" in await said_by_play()
    assert (tmp_path / ".playground" / "parley.db").exists()


@pytest.mark.parametrize(
    ("called", "command"),
    [
        (".venv/bin/parley", ".venv/bin/parley playground --reset"),
        ("/home/ann's/parley", """'/home/ann'"'"'s/parley' playground --reset"""),
        (f"{ROOT}/bot/__main__.py", "python -m bot playground --reset"),
    ],
)
async def test_how_to_begin_anew_is_said_by_the_name_it_was_called_by(
    called: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [called, "run"])

    assert f"To begin anew: {command}\n" in await said_by_play()


class Unreachable(LocalSlack):
    """One that never lets an app connect."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.fail("apps.connections.open", error="internal_error", times=1_000_000)


async def test_a_parley_that_does_not_connect_is_not_said_to_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(play, "LocalSlack", Unreachable)
    monkeypatch.setattr(play, "_CONNECT_SECONDS", 0.5)

    said = await said_by_play()

    assert said.startswith("Parley has not connected to its Slack at http://127.0.0.1:")
    assert "the last calls: " in said
    assert "Ctrl-C stops it" in said


class Shown:
    def __init__(self, name: str) -> None:
        self.name = name
        self.opened: list[str] = []

    def open(self, url: str) -> None:
        self.opened.append(url)


@pytest.mark.parametrize(("name", "opens"), [("xdg-open", True), ("w3m", False), ("/usr/bin/www-browser", False)])
def test_a_browser_is_opened_but_never_in_the_terminal(name: str, opens: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Shown(name)
    monkeypatch.setattr("webbrowser.get", lambda: shown)

    if thread := play.open_browser("http://127.0.0.1:3000"):
        thread.join()

    assert shown.opened == (["http://127.0.0.1:3000"] if opens else [])


STUBBORN = """
import asyncio
from bot import cli

async def work(ended):
    print("working", flush=True)
    await ended.wait()
    print("stopping", flush=True)
    await asyncio.Event().wait()

asyncio.run(cli._until_signalled(work, grace=600))
"""


async def test_a_second_ctrl_c_ends_at_once_what_the_first_does_not_end() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", STUBBORN), env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout
    async with asyncio.timeout(SECONDS):
        for said in (b"working\n", b"stopping\n"):
            assert await process.stdout.readline() == said
            process.send_signal(signal.SIGINT)
        assert await process.wait() == 1
