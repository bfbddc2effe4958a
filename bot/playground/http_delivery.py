"""HTTP delivery: events and interactions POSTed to the app's Request URL, signed, and retried as Slack does."""

import asyncio
import hashlib
import hmac
import json
import uuid
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import aiohttp

from bot.playground.core import Core
from bot.playground.record import Delivery
from bot.playground.socket import Hub
from bot.playground.workspace import Json

REASONS = {"late": "http_timeout", "refused": "http_error", "unreachable": "connection_failed"}


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Slack's v0: an HMAC of the time and the body."""
    signed = b"v0:" + timestamp.encode() + b":" + body
    return "v0=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


def deliver_over_http(core: Core, request_url: str, signing_secret: str) -> None:
    """From now on, instead of over sockets."""
    core.hub = hub = HttpHub(core.workspace, core.clock, core.record, core.changed, lambda: core.save())
    hub.request_url, hub.signing_secret = request_url, signing_secret


class HttpHub(Hub):
    """What the hub for sockets does, over HTTP; whether the app is there shows only when it is tried."""

    request_url = ""
    signing_secret = ""

    def __init__(self, *shared: Any) -> None:
        super().__init__(*shared)
        self._session: aiohttp.ClientSession | None = None
        self._posting: set[asyncio.Task[None]] = set()
        self._reason: dict[str, str] = {}  # why the last attempt of an event failed

    @property
    def open(self) -> list[Any]:
        return [self.request_url]

    async def verified(self, seconds: float) -> None:
        """Wait until the app answers at the Request URL with the challenge, as Slack asks when one enters it."""
        async with asyncio.timeout(seconds):
            while not await self._answers():  # noqa: ASYNC110 (it is another process that begins to answer)
                await asyncio.sleep(0.02)

    async def _answers(self) -> bool:
        challenge = uuid.uuid4().hex
        try:
            status, answer, _ = await self.post(
                {"type": "url_verification", "challenge": challenge, "token": "obsolete"}
            )
        except aiohttp.ClientError:
            return False
        return status == 200 and answer in (challenge, json.dumps({"challenge": challenge}))

    async def post(self, payload: Json, form: bool = False, **headers: str) -> tuple[int, str, bool]:
        """One request as Slack makes it: the status, the body, and whether the app wants no retries."""
        text = urlencode({"payload": json.dumps(payload)}) if form else json.dumps(payload)
        kind = "application/x-www-form-urlencoded" if form else "application/json"
        return await self.send(text.encode(), {"Content-Type": kind, **headers})

    async def send(self, body: bytes, headers: dict[str, str]) -> tuple[int, str, bool]:
        """These bytes, signed now, unless the headers say how."""
        timestamp = str(int(self._clock.now()))
        signed = {"X-Slack-Request-Timestamp": timestamp}
        signed["X-Slack-Signature"] = signature(self.signing_secret, timestamp, body)
        self._session = self._session or aiohttp.ClientSession()
        async with self._session.post(self.request_url, data=body, headers=signed | headers) as response:
            no_retry = response.headers.get("x-slack-no-retry") == "1"
            return response.status, await response.text(), no_retry

    def redeliver(self, payload: Json, reason: str = "http_timeout") -> None:
        kind = "events_api" if payload["type"] == "event_callback" else "interactive"
        self._send(kind, payload, 1, reason, lambda _answer: None)

    async def close(self) -> None:
        for task in self._posting:
            task.cancel()
        await asyncio.gather(*self._posting, return_exceptions=True)
        if self._session:
            await self._session.close()

    def _send(self, kind: str, payload: Json, attempt: int, reason: str, acknowledged: Callable[[Json], None]) -> bool:
        delivery = Delivery(kind, payload, attempt, str(uuid.uuid4()), self._clock.now())
        for forgotten in self._record.delivery(delivery):
            self._sent.pop(forgotten.envelope_id, None)
        self._sent[delivery.envelope_id] = (delivery, acknowledged)
        headers = {"X-Slack-Retry-Num": str(attempt), "X-Slack-Retry-Reason": reason} if attempt else {}
        task = asyncio.create_task(self._deliver(delivery, headers))
        self._posting.add(task)
        task.add_done_callback(self._posting.discard)
        self._changed()
        return True

    async def _deliver(self, delivery: Delivery, headers: dict[str, str]) -> None:
        self._save()
        try:
            form = delivery.kind == "interactive"
            status, answer, no_retry = await self.post(delivery.payload, form=form, **headers)
        except aiohttp.ClientError:
            self._failed(delivery, "unreachable")
            return
        if 200 <= status < 300:
            self._acknowledged({"envelope_id": delivery.envelope_id, "payload": _object(answer)})
        else:
            self._failed(delivery, "refused", no_retry=no_retry)

    def _failed(self, delivery: Delivery, why: str, *, no_retry: bool = False) -> None:
        _, acknowledged = self._sent.pop(delivery.envelope_id, (None, None))
        event_id = delivery.payload.get("event_id", "")
        waiting = self._workspace.waiting.get(event_id)
        if acknowledged is None or waiting is None or waiting.attempt != delivery.attempt:
            return  # its time was up already, and the next attempt is on its way
        if no_retry:
            self.given_up.append(waiting.payload)
            self._taken(event_id)
            return
        self._reason[event_id] = REASONS[why]
        self._late(event_id)

    def _try(self, event_id: str, reason: str = "") -> None:
        """A retry says why; the timer of the one before knows only that no answer came."""
        super()._try(event_id, self._reason.pop(event_id, REASONS["late"]) if reason else "")


def _object(text: str) -> Json:
    """What the app answered, if it is JSON, as to the submission of a view."""
    try:
        answer = json.loads(text or "{}")
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}
