"""Pauses: how they are made is given from outside, so that a test need not wait, and news can cut them short."""

import asyncio
from collections.abc import Awaitable, Callable

Sleep = Callable[[float], Awaitable[None]]


async def pause_unless(news: asyncio.Event, seconds: float, sleep: Sleep) -> None:
    """Return when there is news, or when that time has passed."""
    waits = [asyncio.ensure_future(news.wait()), asyncio.ensure_future(sleep(seconds))]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
