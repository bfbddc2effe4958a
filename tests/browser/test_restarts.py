"""Everything is killed while a question is open, started again, and answered."""

import pytest
from playwright.async_api import expect

from tests.browser.conftest import NewTab
from tests.support.browser import Playground

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize("who", ["ann, in the tab that stayed open", "ben, who comes now"])
async def test_a_question_outlives_a_sigkill_of_everything(who: str, new_tab: NewTab, playground: Playground) -> None:
    ann = await new_tab("ann")
    await ann.writes("@parley Help us choose a database")
    await ann.sees_form()
    before = playground.url

    await playground.stop()
    lost = ann.page.get_by_text("Reconnecting…", exact=True)
    await expect(lost).to_be_visible()
    await playground.start()

    assert playground.url == before
    await expect(lost).to_be_hidden()
    tab, name = (ann, "Ann Archer") if who.startswith("ann") else (await new_tab("ben"), "Ben Bauer")
    if tab is not ann:
        await tab.opens_thread()
    await tab.sees_form()
    await tab.thread.get_by_role("radio").nth(1).check()
    await tab.button("Submit").click()
    await tab.sees(f"✓ Answered by {name}")
    await tab.sees("SQLite it is.")
    await tab.sees("Turn on write-ahead logging")
    ann.complaints.clear()  # its playground went away, and it said so
    await tab.keeps(f"after-sigkill-{name.split()[0].lower()}")
