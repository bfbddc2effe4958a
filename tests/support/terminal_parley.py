"""`parley chat` as a process of its own: on a pipe, or on a real pseudo-terminal."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pexpect

ROOT = Path(__file__).parents[2]
PARLEY = Path(sys.executable).with_name("parley")
SECONDS = 40  # for whatever should happen at once, on a slow machine

DOWN, ENTER, ESCAPE, SPACE = "\x1b[B", "\r", "\x1b", " "
UP, CTRL_C, CTRL_D = "\x1b[A", "\x03", "\x04"


def environment(base_url: str, folder: Path) -> dict[str, str]:
    ours = ("OPENAI_", "PARLEY_", "DATABASE_", "SLACK_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {
        "OPENAI_API_KEY": "sk-none",
        "OPENAI_MODEL": "scripted",
        "OPENAI_BASE_URL": base_url,
        "DATABASE_URL": f"sqlite:///{folder}/parley.db",
        "PARLEY_TOOLS": "tests.support.terminal_tools:toolbox",
        "PYTHONPATH": str(ROOT),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "PROMPT_TOOLKIT_NO_CPR": "1",  # nobody here answers where the cursor is
    }


class Pipe:
    """Without a TTY."""

    def __init__(self, env: dict[str, str], folder: Path) -> None:
        self._env = env
        self._folder = folder

    async def start(self, *arguments: str) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(
            *(PARLEY, "chat", *arguments), env=self._env, cwd=self._folder, stdin=pipe, stdout=pipe, stderr=pipe
        )

    async def feed(self, text: str, *arguments: str, code: int = 0) -> str:
        """Everything that was printed, to the end."""
        process = await self.start(*arguments)
        async with asyncio.timeout(SECONDS):
            out, err = await process.communicate(text.encode())
        assert process.returncode == code, err.decode()
        assert b"Traceback" not in err
        return out.decode() + err.decode()


class Tty:
    """On a terminal of 80 columns."""

    def __init__(self, env: dict[str, str], folder: Path, *arguments: str) -> None:
        command = [str(PARLEY), "chat", *arguments]
        self._child = pexpect.spawn(
            command[0], command[1:], env=env, cwd=str(folder), dimensions=(40, 80), timeout=SECONDS, encoding="utf-8"
        )

    async def shows(self, *texts: str) -> None:
        """One after the other."""
        for text in texts:
            await asyncio.to_thread(self._child.expect_exact, text)

    async def press(self, *keys: str) -> None:
        for key in keys:
            await asyncio.to_thread(self._child.send, key)

    async def say(self, message: str) -> None:
        await self.shows("> ")
        await self.press(message, ENTER)

    async def ends(self) -> str:
        """What was still printed; it must end of itself, without a fault."""
        await asyncio.to_thread(self._child.expect, pexpect.EOF)
        await asyncio.to_thread(self._child.wait)
        assert self._child.exitstatus == 0, self._child.before
        return str(self._child.before)

    def kill(self) -> None:
        self._child.kill(signal.SIGKILL)
        self._child.wait()

    def close(self) -> None:
        self._child.close(force=True)
