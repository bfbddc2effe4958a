"""What comes with a message: files that were attached, and what was said in the thread before."""

import base64
from collections.abc import AsyncIterator
from typing import Any, Literal
from urllib.parse import urlsplit

import aiohttp
import structlog

from bot.blocks import readable
from bot.inbound import File, Said
from bot.people import People
from bot.slack import Slack, SlackAway, SlackRefused

log = structlog.get_logger()

_LONGEST_TEXT = 100_000
_LARGEST_IMAGE = 5_000_000
_IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_TEXT_TYPES = ("text/", "application/json", "application/xml", "application/x-yaml", "application/yaml")


_LARGEST = 6_000_000
_SLACK_HOSTS = (".slack.com", ".slack-files.com")


class Files:
    def __init__(self, slack: Slack, people: People, *, token: str, api_url: str, bot_user_id: str) -> None:
        self._slack = slack
        self._people = people
        self._token = token
        self._api_host = urlsplit(api_url).hostname
        self._bot_user_id = bot_user_id

    async def read(self, said: Said) -> tuple[str, tuple[str, ...]]:
        """The message's words, with the text of text files and the names of others; and its images, as data URLs."""
        parts, images = [said.text] if said.text.strip() else [], []
        for file in said.files:
            name = file.name or file.id
            kind = _kind(file)
            content = await self._download(file) if kind else None
            if not kind:
                facts = f"{name}, {file.mimetype}, {file.size} bytes"
                parts.append(f"(A file is attached that cannot be read here: {facts}.)")
            elif content is None:
                parts.append(f"(A file is attached, but could not be fetched: {name}.)")
            elif kind == "image":
                parts.append(f"(Attached image: {name})")
                images.append(f"data:{file.mimetype};base64,{base64.b64encode(content).decode()}")
            else:
                parts.append(f"(Attached file {name}:)\n{content.decode(errors='replace')}")
        return "\n\n".join(parts), tuple(images)

    async def _download(self, file: File) -> bytes | None:
        host = urlsplit(file.url_private).hostname or ""
        if host != self._api_host and not host.endswith(_SLACK_HOSTS):
            return None  # our token is for Slack alone
        headers = {"Authorization": f"Bearer {self._token}"}
        try:
            async with (
                aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=20)) as session,
                session.get(file.url_private, headers=headers) as response,
            ):
                response.raise_for_status()
                content, kind = await _read(response), response.content_type
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            log.info("files.not_fetched", error=type(error).__name__)
            return None
        # To a token that may not read files, Slack sends its sign-in page instead.
        return None if kind == "text/html" != file.mimetype else content

    async def thread_before(self, said: Said, *, heard: bool) -> str:
        """What people wrote to each other in the thread; if the agent was `heard` there, only since it spoke last."""
        lines: list[str] = []
        try:
            async for message in self._thread(said):
                by_us = message.get("user") == self._bot_user_id
                text = str(message.get("text", ""))
                if by_us and heard:
                    lines.clear()
                elif not by_us and not (heard and readable.mentions(text, self._bot_user_id)):
                    lines.append(await self._line(message, text, said.team))
        except (SlackRefused, SlackAway) as error:
            log.info("files.no_thread", error=str(error))
        return "\n".join(lines)[-_LONGEST_TEXT:]

    async def _thread(self, said: Said) -> AsyncIterator[dict[str, Any]]:
        """The messages of the thread before this one, oldest first."""
        where = {"channel": said.channel, "ts": said.thread_ts, "latest": said.ts, "limit": 200}
        cursor = None
        while True:
            answer = await self._slack.call("conversations.replies", **where, cursor=cursor)
            for message in answer.get("messages", ()):
                if message.get("ts") != said.ts:
                    yield message
            cursor = (answer.get("response_metadata") or {}).get("next_cursor") or None
            if not cursor:
                return

    async def _line(self, message: dict[str, Any], text: str, team: str) -> str:
        by_app = message.get("username") or (message.get("bot_profile") or {}).get("name")
        user = str(message.get("user", ""))
        name = by_app or (await self._people.member(user, team)).name or user or "someone"
        named = [f"(file: {file.get('name') or file.get('id')})" for file in message.get("files") or ()]
        return f"{name}: {' '.join([readable.words(text, self._bot_user_id), *named]).strip()}"


def _kind(file: File) -> Literal["text", "image"] | None:
    """What the model can make of it, if anything."""
    if not file.url_private:
        return None
    if file.mimetype in _IMAGE_TYPES and file.size <= _LARGEST_IMAGE:
        return "image"
    return "text" if file.mimetype.startswith(_TEXT_TYPES) and file.size <= _LONGEST_TEXT else None


async def _read(response: aiohttp.ClientResponse) -> bytes:
    content = bytearray()
    async for piece in response.content.iter_chunked(65_536):
        content += piece
        if len(content) > _LARGEST:
            raise ValueError("more than it said it was")
    return bytes(content)
