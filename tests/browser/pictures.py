"""Makes the README's pictures, of the real playground in a real browser: python -m tests.browser.pictures"""

import asyncio
import re
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Browser

from tests.support.browser import Playground, Tab, chromium, opened

PICTURES = Path(__file__).parent / "pictures"
SIZE = {"width": 1360, "height": 900}  # so that the thread beside its channel is 550 wide, and seen whole
SHARPNESS = 1.75  # sharp enough for any screen at half a page's width, and each less than 200 KB


async def main(program: str) -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        playground = Playground(Path(folder))
        await playground.start()
        try:
            async with opened(program) as browser:
                await take(browser, playground.url)
        finally:
            await playground.stop()


async def take(browser: Browser, url: str) -> None:
    """A question, and what it becomes."""
    context = await browser.new_context(
        viewport=SIZE, device_scale_factor=SHARPNESS, locale="en-GB", color_scheme="light"
    )
    ann = Tab(await context.new_page(), url)
    await ann.comes("ann")
    await ann.writes("@parley Help us choose a database for the new service")
    await ann.sees_form()
    await ann.other().fill("Postgres, on the server that we run already")
    await save(ann, "question")
    await ann.button("Submit").click()
    await ann.sees(re.compile("it is"))
    await save(ann, "receipt")


async def save(tab: Tab, name: str) -> None:
    """The thread alone: a whole page could not be read beside another one."""
    await tab.page.mouse.move(0, 0)
    await tab.thread.screenshot(path=PICTURES / f"{name}.png", animations="disabled")


if __name__ == "__main__":
    found = chromium()
    if found is None:
        sys.exit("There is no chromium on this machine.")
    asyncio.run(main(found))
