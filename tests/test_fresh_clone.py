"""The README's two lines, as a newcomer follows them: clone, `make run`, and the page is there."""

import asyncio
import os
import re
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

ROOT = Path(__file__).parent.parent
SECONDS = 600  # to install everything, on a busy machine with a slow connection

pytestmark = pytest.mark.skipif(
    os.environ.get("CI") != "true", reason="CI is not true: nothing is installed from the package index"
)


def bare() -> dict[str, str]:
    """An empty environment, but for where programs, the home and the package index are."""
    return {name: value for name, value in os.environ.items() if name in ("HOME", "PATH") or name.startswith("PIP_")}


@asynccontextmanager
async def started(folder: Path, *command: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """With all that it starts itself in a group of its own, which is gone in the end."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, env=bare(), stdin=asyncio.subprocess.DEVNULL, stdout=pipe, start_new_session=True
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.communicate()


async def address(process: asyncio.subprocess.Process) -> str:
    """As it is told in the terminal."""
    assert process.stdout
    async for line in process.stdout:
        if found := re.search(r"http://127\.0\.0\.1:\d+", line.decode()):
            return found[0]
    raise AssertionError(f"it ended with {await process.wait()} before it was anywhere")


async def test_a_fresh_clone_serves_its_page_after_make_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with started(tmp_path, "git", "clone", "--quiet", str(ROOT), "parley") as clone:
        assert await clone.wait() == 0
    began = time.monotonic()

    async with (
        asyncio.timeout(SECONDS),
        aiohttp.ClientSession() as web,
        started(tmp_path / "parley", "make", "run") as parley,
    ):
        url = await address(parley)
        async with web.get(url) as page:
            assert page.status == 200
            assert "Parley" in await page.text()
        with capsys.disabled():
            print(f"\nFrom make run until the page answered: {time.monotonic() - began:.1f} s")

        os.killpg(parley.pid, signal.SIGTERM)
        await parley.communicate()
        with pytest.raises(aiohttp.ClientConnectionError):
            await web.get(url)
