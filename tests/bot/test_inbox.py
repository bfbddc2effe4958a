"""What came in is dealt with, even if the database is away for a moment where it hurts most."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from agent.core.errors import StoreError
from agent.store.journal import Store
from bot.inbound import Inbound, Said
from bot.inbox import Inbox

HELLO = Said(team="T1", user="U1", channel="C1", ts="1.1", text="hello")
KEY = "/".join(HELLO.key)


class Desk:
    """Deals with what comes in by remembering it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.decided: list[str] = []
        self.failed: list[Inbound] = []
        self.breaks = False

    async def decide(self, key: str, inbound: Inbound) -> None:
        self.decided.append(key)
        if self.breaks:
            raise RuntimeError("a bug")
        await self._store.delivery.settle(key)

    def say_failed(self, inbound: Inbound, incident: str) -> None:
        self.failed.append(inbound)

    def is_urgent(self, inbound: Inbound) -> bool:
        return False


@pytest.fixture
def desk(store: Store) -> Desk:
    return Desk(store)


@pytest.fixture
async def inbox(store: Store, desk: Desk) -> AsyncIterator[Inbox]:
    async def sleep(_seconds: float) -> None:
        await asyncio.sleep(0)

    inbox = Inbox(store, desk, sleep=sleep)
    yield inbox
    await inbox.close()


async def left(store: Store) -> list[str]:
    """What is not dealt with."""
    return [key for key, _ in await store.adoption.received({0})]


def away_once(usual: Any) -> Any:
    failed: list[bool] = []

    async def call(*given: Any) -> Any:
        if not failed:
            failed.append(True)
            raise StoreError("away")
        return await usual(*given)

    return call


def unheard_once(usual: Any) -> Any:
    """It is done, but the answer is lost."""
    done: list[bool] = []

    async def call(*given: Any) -> Any:
        answer = await usual(*given)
        if not done:
            done.append(True)
            raise StoreError("lost")
        return answer

    return call


async def test_one_that_was_written_down_unheard_is_dealt_with_when_it_comes_again(
    store: Store, desk: Desk, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store.delivery, "accept", unheard_once(store.delivery.accept))
    with pytest.raises(StoreError):
        await inbox.accept(HELLO)

    for _ in range(3):
        await inbox.accept(HELLO)
        await inbox.idle()

    assert desk.decided == [KEY]
    assert await left(store) == []


async def test_one_that_comes_again_while_it_is_dealt_with_is_not_looked_up(
    store: Store, desk: Desk, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, going_on = store.delivery.settle, asyncio.Event()

    async def slow(key: str) -> bool:
        await going_on.wait()
        return await usual(key)

    monkeypatch.setattr(store.delivery, "settle", slow)
    monkeypatch.setattr(store.delivery, "is_left", None)

    await inbox.accept(HELLO)
    await inbox.accept(HELLO)
    going_on.set()
    await inbox.idle()

    assert desk.decided == [KEY]


async def test_one_that_cannot_be_read_nor_settled_does_not_keep_the_rest_back(
    store: Store, desk: Desk, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.delivery.accept("a", "of a version to come")
    await store.delivery.accept(KEY, HELLO.dump())
    monkeypatch.setattr(store.delivery, "settle", away_once(store.delivery.settle))

    await inbox.adopt({0})
    await inbox.idle()

    assert desk.decided == [KEY]
    assert await left(store) == []


async def test_what_failed_is_settled_as_soon_as_the_database_is_back(
    store: Store, desk: Desk, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.breaks = True
    monkeypatch.setattr(store.delivery, "settle", away_once(store.delivery.settle))

    await inbox.accept(HELLO)
    await inbox.idle()

    assert desk.failed == [HELLO]
    assert await left(store) == []


async def test_what_was_accepted_while_the_place_was_lost_is_left_to_whoever_adopts_it(
    store: Store, desk: Desk, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = store.delivery.accept

    async def slow(key: str, body: str) -> bool:
        accepted = await usual(key, body)
        await inbox.let_go()
        return accepted

    monkeypatch.setattr(store.delivery, "accept", slow)

    await inbox.accept(HELLO)
    await inbox.idle()
    assert desk.decided == []

    await inbox.adopt({0})
    await inbox.idle()
    assert desk.decided == [KEY]
