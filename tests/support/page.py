"""The playground's page as a program: one socket, the table that it keeps, and what it asks for."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

Json = dict[str, Any]


class Page:
    """Reads frames only while somebody waits for one, in the order in which they came."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.table: Json = {}
        self.frames: list[Json] = []
        self._asked = 0

    async def frame(self) -> Json:
        async with asyncio.timeout(20):
            frame: Json = json.loads(await self.socket.receive_str())
        self.frames.append(frame)
        if frame["type"] == "changes":
            self.table |= frame["set"]
            for key in frame["gone"]:
                del self.table[key]
        return frame

    async def ask(self, act: str, **fields: Any) -> Json:
        """What became of it; whatever it changed is in the table by then."""
        self._asked += 1
        await self.socket.send_json({"id": self._asked, "do": act, **fields})
        while (frame := await self.frame())["type"] != "done" or frame["id"] != self._asked:
            pass
        return frame

    async def sent(self, text: str) -> Json:
        """The answer to a frame that is sent as it stands."""
        await self.socket.send_str(text)
        while (frame := await self.frame())["type"] != "done":
            pass
        return frame

    async def until(self, what: Callable[[Json], Any]) -> Any:
        """Something about the table, as soon as it is so."""
        while not (found := what(self.table)):
            await self.frame()
        return found

    def messages(self, kind: str = "message") -> list[Json]:
        return [value for key, value in self.table.items() if key.startswith(f"{kind}/")]


@asynccontextmanager
async def page(url: str, person: str = "ann", **headers: str) -> AsyncIterator[Page]:
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{url}/page/socket?as={person}", headers=headers, max_msg_size=0) as socket,
    ):
        shown = Page(socket)
        await shown.frame()
        yield shown
