"""One tab of the page: shows what one person sees, as it changes, and does what they ask for."""

import asyncio
import json
import logging
from collections.abc import Coroutine
from typing import Any

from aiohttp import WSMsgType, web

from bot.playground import drawer, mirror
from bot.playground.acts import Act, Done
from bot.playground.asking import Asked, CannotBeDone, sentence
from bot.playground.clock import Timer
from bot.playground.core import Core
from bot.playground.mirror import Guide, Table
from bot.playground.people import NotThere, Person
from bot.playground.workspace import Json

log = logging.getLogger(__name__)

BETWEEN_FRAMES = 0.04


class Work:
    """What was asked for and is not done yet: it goes on although whoever asked has closed the tab."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Tab:
    """One socket: what it was sent last, what has changed since, and what is asked over it."""

    def __init__(
        self, core: Core, guide: Guide, person: Person, acts: dict[str, Act], socket: web.WebSocketResponse, work: Work
    ) -> None:
        self._core, self._guide, self._person, self._acts = core, guide, person, acts
        self._socket, self._work = socket, work
        self._sent: Table | None = None
        self._watching = False
        self._news = asyncio.Event()
        self._sending = asyncio.Lock()
        self._left = False
        self._expiry: Timer | None = None

    async def run(self) -> None:
        unwatch = self._core.on_change(self._news.set)
        telling = asyncio.create_task(self._tell())
        try:
            async for message in self._socket:
                self._work.start(self._answer(message.data if message.type is WSMsgType.TEXT else ""))
        finally:
            self._left = True
            unwatch()
            telling.cancel()
            await asyncio.gather(telling, return_exceptions=True)
            if self._expiry:
                self._expiry.cancel()

    async def close(self) -> None:
        await self._socket.close()

    async def _tell(self) -> None:
        """Whenever something changed, but not for every little change."""
        try:
            while not self._socket.closed:
                self._news.clear()
                await self._show()
                await asyncio.sleep(BETWEEN_FRAMES)
                await self._news.wait()
        except Exception:  # the outermost: a page that stood still would look as if nothing happened
            log.exception("What somebody sees cannot be shown.")
            await self._socket.close()

    async def _show(self) -> None:
        """Send what is different from what was sent before."""
        async with self._sending:
            if self._left:
                return
            now, before = self._table(), self._sent or {}
            changed = {key: value for key, value in now.items() if key not in before or before[key] != value}
            gone = [key for key in before if key not in now]
            first, self._sent = self._sent is None, now
            self._expect()
            if changed or gone:
                await self._send({"type": "changes", "set": changed, "gone": gone, "first": first})

    def _table(self) -> Table:
        found = mirror.table(self._core, self._person.user, self._guide)
        if self._watching:
            found.update(drawer.log(self._core.record, self._core.clock.now()))
        return found

    def _expect(self) -> None:
        """Wake when something will look different although nobody does anything."""
        due = mirror.next_expiry(self._core)
        if self._expiry and (due is None or abs(self._expiry.due - due) > 0.001 or self._expiry.cancelled):
            self._expiry.cancel()
            self._expiry = None
        if due is not None and self._expiry is None:
            self._expiry = self._core.clock.after(due - self._core.clock.now(), self._news.set)

    async def _answer(self, text: str) -> None:
        """What was asked for is done, or not, and can be seen before the page is told so."""
        fields = _read(text)
        number = fields.get("id")
        try:
            done = await self._act(fields)
        except (CannotBeDone, NotThere) as error:
            done = Done(sentence(str(error)))
        except Exception:  # the outermost: whoever waits for an answer gets one
            log.exception("The page asked for something that failed.")
            done = Done("Something went wrong here: the terminal says what.")
        await self._show()
        await self._send({"type": "done", "id": number if isinstance(number, int | str) else None} | vars(done))

    async def _act(self, fields: Json) -> Done:
        name = fields.get("do")
        if name == "watch":
            self._watching = fields.get("on") is True
            return Done()
        act = self._acts.get(name) if isinstance(name, str) else None
        if act is None:
            raise CannotBeDone("The page asked for something that cannot be done here.")
        return await act(Asked(self._core, self._person, fields))

    async def _send(self, frame: Json) -> None:
        try:
            self._core.save()
            await self._socket.send_str(json.dumps(frame))
        except ConnectionError:
            pass  # whoever looked is gone; the socket ends by itself


def _read(text: str) -> Json:
    """What the page sent, or nothing if that is nothing one can read."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
