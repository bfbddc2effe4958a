"""Everything is killed while a question is open, started again, and answered."""

import re

import pytest

from tests.browser.conftest import NewTab
from tests.support.browser import Playground

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_question_outlives_a_sigkill_of_everything(new_tab: NewTab, playground: Playground) -> None:
    ann = await new_tab("ann")
    await ann.writes("@parley Help us choose a database")
    await ann.sees_form()

    await playground.stop()
    await playground.start()

    ben = await new_tab("ben")
    ben.moves_to(playground.url)
    await ben.comes("ben")
    await ben.opens_thread()
    await ben.sees_form()
    await ben.thread.get_by_role("radio").first.check()
    await ben.button("Submit").click()
    await ben.sees(re.compile("Answered by"))
    await ben.sees(re.compile("PostgreSQL” it is|PostgreSQL it is|PostgreSQL"))
    ann.complaints.clear()  # its playground went away, and it said so
    await ben.keeps("after-sigkill")
