"""A real browser on a real playground, and what people do in it."""

import asyncio
import os
import re
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Browser, Locator, Page, async_playwright, expect

_ROOT = Path(__file__).parent.parent.parent
SCREENSHOTS = _ROOT / "build" / "screenshots"
_FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
expect.set_options(timeout=20_000)  # as long as it takes on a busy machine
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")


def chromium() -> str | None:
    """The browser of this machine, if it has one."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@asynccontextmanager
async def opened(program: str) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=_FLAGS)
        try:
            yield browser
        finally:
            await browser.close()


class Playground:
    """`parley playground` without any setting, in a directory of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: asyncio.subprocess.Process | None = None
        self.url = ""

    async def start(self) -> None:
        """At a port of its own, and again at the same."""
        port = self.url.rpartition(":")[2] or "0"
        program = (sys.executable, "-m", "bot", "playground", "--port", port, "--pace", "0")
        bare = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ} | {"PYTHONPATH": str(_ROOT)}
        out = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(*program, cwd=self._folder, env=bare, stdout=out)
        assert self._process.stdout
        told = (await asyncio.wait_for(self._process.stdout.readline(), 30)).decode()
        found = _ADDRESS.search(told)
        assert found, told
        self.url = found[0]

    async def stop(self, how: signal.Signals = signal.SIGKILL) -> None:
        if self._process and self._process.returncode is None:
            self._process.send_signal(how)
            await self._process.communicate()


class Tab:
    """One tab of the browser, as one of the people."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self._url = url
        self.complaints: list[str] = []
        page.on("console", lambda told: self.complaints.append(told.text) if told.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    async def comes(self, person: str = "ann", place: str = "C0GENERAL") -> None:
        await self.page.goto(f"{self._url}/?as={person}#{place}")

    @property
    def thread(self) -> Locator:
        return self.page.get_by_role("complementary", name="Thread")

    @property
    def messages(self) -> Locator:
        """Those of the place that is open, without their threads."""
        return self.page.get_by_role("list", name="Messages")

    @property
    def composer(self) -> Locator:
        """That of the channel or of the direct messages, whichever is open."""
        return self.page.get_by_role("textbox", name=re.compile("^Message "))

    async def writes(self, text: str) -> None:
        """In the place that is open; what Parley does then is seen in the thread."""
        await self.composer.fill(text)
        await self.composer.press("Enter")

    def link(self, place: str) -> Locator:
        """In the list of channels and apps."""
        return self.page.get_by_role("navigation", name="Channels and apps").get_by_role("link", name=place)

    async def opens_thread(self) -> None:
        """That of the newest message with replies."""
        await self.page.get_by_role("button", name=re.compile(r"\d+ repl(y|ies)")).last.click()

    async def opens_thread_of(self, words: str) -> None:
        """That of a message, by the button that comes up beside it."""
        message = self.messages.get_by_role("listitem").filter(has_text=words)
        await message.hover()
        await message.get_by_role("button", name="Reply in thread").click()

    async def sees(self, text: str | re.Pattern[str]) -> None:
        await expect(self.thread.get_by_text(text).first).to_be_visible()

    async def sees_form(self) -> None:
        await expect(self.button("Submit")).to_be_visible()

    def button(self, name: str) -> Locator:
        return self.thread.get_by_role("button", name=name)

    def others(self) -> Locator:
        return self.thread.get_by_role("textbox", name=re.compile("^(Other|Your answer)"))

    def other(self) -> Locator:
        return self.others().first

    async def opens_tools(self, tab: str) -> Locator:
        """The developers' drawer, at one of its tabs."""
        drawer = self.page.get_by_role("region", name="Developer tools")
        if not await drawer.is_visible():
            await self.page.get_by_role("button", name="Developer tools", exact=True).click()
        await drawer.get_by_role("tab", name=tab).click()
        return drawer

    async def lets_be_slow(self, method: str, seconds: int) -> None:
        """The next call of this method."""
        drawer = await self.opens_tools("Toolbox")
        tool = drawer.get_by_role("group", name="Let a call be slow")
        await tool.get_by_label("Method").fill(method)
        await tool.get_by_label("Seconds").fill(str(seconds))
        await tool.get_by_role("button", name="Plan it").click()
        await expect(drawer.get_by_text(re.compile(f"{method}.*slow|slow.*{method}")).first).to_be_visible()

    async def keeps(self, name: str) -> None:
        """A screenshot, as a file."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        await self.page.screenshot(path=SCREENSHOTS / f"{name}.png", animations="disabled")
