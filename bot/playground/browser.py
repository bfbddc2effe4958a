"""The page in the browser: its files, and for each tab a socket that shows what one person sees."""

import asyncio
import re
from pathlib import Path
from urllib.parse import quote

from aiohttp import web

from bot.playground.acts import ACTS
from bot.playground.control import Control
from bot.playground.drawer import Drawer
from bot.playground.mirror import Guide
from bot.playground.people import Person
from bot.playground.tab import Tab, Work
from bot.playground.workspace import File

PAGE = Path(__file__).parent / "page"
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
NAME = re.compile(r"([a-z]+/)?[a-zA-Z0-9_-]+\.(html|css|js|svg)")  # in the page's folder, or one below
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
LONGEST_FRAME = 64 * 1024 * 1024


class Browser:
    """What the browser can ask this Slack for."""

    def __init__(self, control: Control, guide: Guide) -> None:
        self._control, self._guide = control, guide
        self._acts = {**ACTS, **Drawer(control).acts}
        self._tabs: set[Tab] = set()
        self._work = Work()

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/", self._index),
            web.get("/archives/{place:.*}", self._index),
            web.get("/page/socket", self._socket),
            web.get("/page/files/{file}", self._file),
            web.get("/page/{name:.+}", self._static),
        ]

    async def close(self) -> None:
        await asyncio.gather(*(tab.close() for tab in self._tabs))
        await self._work.stop()

    async def _index(self, _request: web.Request) -> web.StreamResponse:
        return _served("index.html")

    async def _static(self, request: web.Request) -> web.StreamResponse:
        return _served(request.match_info["name"])

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(timeout=1.0, max_msg_size=LONGEST_FRAME, compress=False)
        await socket.prepare(request)
        tab = Tab(self._control.core, self._guide, self._person(request), self._acts, socket, self._work)
        self._tabs.add(tab)
        try:
            await tab.run()
        finally:
            self._tabs.discard(tab)
        return socket

    async def _file(self, request: web.Request) -> web.StreamResponse:
        person, file = self._person(request), self._control.core.workspace.files.get(request.match_info["file"])
        if file is None or not self._sees(person, file):
            return web.Response(status=404, text="There is no such file here.\n")
        if file.mimetype in PICTURES:
            return web.Response(body=file.data, content_type=file.mimetype)
        named = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.name, safe='')}"}
        return web.Response(body=file.data, content_type="application/octet-stream", headers=named)

    def _sees(self, person: Person, file: File) -> bool:
        space = self._control.core.workspace
        inside = [channel.id for channel in space.channels.values() if person.id in channel.members]
        return any(file.id in message.files for place in inside for message in space.messages.get(place, {}).values())

    def _person(self, request: web.Request) -> Person:
        """Whoever is named, by name or id, else the first one."""
        people, wanted = list(self._control.people.values()), request.query.get("as", "")
        return next((person for person in people if wanted in (person.id, person.name)), people[0])


def _served(name: str) -> web.StreamResponse:
    if not NAME.fullmatch(name) or not (PAGE / name).is_file():
        return web.Response(status=404, text="There is no such page.\n")
    return web.FileResponse(PAGE / name, headers={"Content-Type": KINDS[Path(name).suffix]})
