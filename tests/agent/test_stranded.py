"""A database that is away for a moment just after something became ours: it is not forgotten."""

from typing import Any

import pytest

from agent.core.errors import StoreError
from agent.core.events import MessageReceived
from agent.core.states import Idle
from agent.store.journal import Store
from tests.support.world import ANN, THREAD, World

OTHER = THREAD.model_copy(update={"root": "2"})


async def test_threads_whose_state_cannot_be_read_at_once_go_on_later(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await Store.open(world.database_url)
    for key in (THREAD, OTHER):
        await store.append(key, MessageReceived(text="go", author=ANN))
    await store.close()
    monkeypatch.setattr(Store, "_read", away_once(Store._read))
    world.model.will_say("Done.")
    world.model.will_say("Done.")

    await world.start()
    await world.model.asked(2)

    for key in (THREAD, OTHER):
        assert isinstance(await world.threads.settled(key), Idle)


def away_once(usual: Any) -> Any:
    failed: list[bool] = []

    async def read(*given: Any) -> Any:
        if not failed:
            failed.append(True)
            raise StoreError("away")
        return await usual(*given)

    return read
