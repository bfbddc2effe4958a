"""Response URLs: five answers to a click, within half an hour, also where the app is no member."""

from aiohttp import web

from bot.playground import chat, events, shapes
from bot.playground.content import content
from bot.playground.core import Core
from bot.playground.methods import Args
from bot.playground.refusal import Refused
from bot.playground.workspace import Json, Message, ResponseUrl


class Responses:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def serve(self, request: web.Request) -> web.StreamResponse:
        body: Json = await request.json()
        error, status = None, 200
        try:
            self._answer(request.match_info["key"], Args(body))
        except Refused as refused:
            error, status = refused.error, 404 if refused.error in ("used_url", "expired_url") else 400
        answer = {"ok": True} if error is None else {"ok": False, "error": error}
        self._core.called("response_url", body, error, status, answer)
        return web.Response(text="ok") if error is None else web.json_response(answer, status=status)

    def _answer(self, key: str, args: Args) -> None:
        url = self._core.workspace.response_urls.get(key)
        if url is None or self._core.clock.now() >= url.expires_at:
            raise Refused("expired_url")
        if url.left == 0:
            raise Refused("used_url")
        original = self._original(url)
        if args.flag("delete_original"):
            self._delete(original)
        elif args.flag("replace_original"):
            self._replace(original, args)
        else:
            self._post(url, args)
        url.left -= 1

    def _original(self, url: ResponseUrl) -> Message | None:
        found = self._core.workspace.message(url.channel, url.message_ts)
        hidden = (m for m in self._core.workspace.private if m.channel == url.channel and m.ts == url.message_ts)
        return found or next(hidden, None)

    def _delete(self, original: Message | None) -> None:
        if original and original.only_for:
            self._core.workspace.private.remove(original)
        elif original:
            before = shapes.message(self._core, original)
            chat.remove(self._core, original)
            events.deleted(self._core, original, before)

    def _replace(self, original: Message | None, args: Args) -> None:
        if original is None:
            raise Refused("message_not_found")
        before = shapes.message(self._core, original)
        chat.change(self._core, original, content(self._core, args))
        if original.only_for is None:
            events.changed(self._core, original, before)

    def _post(self, url: ResponseUrl, args: Args) -> None:
        channel, shown = self._core.workspace.channels[url.channel], content(self._core, args)
        thread_ts = args.optional("thread_ts")
        if args.optional("response_type") == "in_channel":
            events.posted(self._core, chat.post(self._core, channel, shown, thread_ts))
        else:
            chat.private(self._core, channel, url.user, shown, thread_ts)
