"""Socket Mode: envelopes to whoever is connected, acknowledgements back, and what happens without them."""

import asyncio
import json
import uuid
from collections.abc import Callable
from typing import Any

from aiohttp import WSMsgType, web

from bot.playground.clock import Clock, Timer
from bot.playground.record import Delivery, Record
from bot.playground.workspace import Json, Waiting, Workspace

ACK_SECONDS = 3
RETRY_AFTER = (0, 60, 300)  # at once, after a minute, after five
CONNECTIONS = 10
WARNED_SECONDS = 10
GIVEN_UP_KEPT = 1_000


class NotDelivered(Exception):
    """An interaction that nobody took, or that was not acknowledged in time."""


class Connection:
    """One WebSocket; what is to be sent waits in line, so that sending never blocks."""

    def __init__(self, socket: web.WebSocketResponse, request: web.Request, save: Callable[[], None]) -> None:
        self.socket = socket
        self.request = request
        self._save = save
        self.leaving = False
        self._outgoing: asyncio.Queue[Json] = asyncio.Queue()

    def send(self, message: Json) -> None:
        self._outgoing.put_nowait(message)

    async def write(self) -> None:
        while not self.socket.closed:
            message = await self._outgoing.get()
            self._save()
            try:
                await self.socket.send_str(json.dumps(message))
            except ConnectionError:
                return

    def abort(self) -> None:
        if self.request.transport:
            self.request.transport.close()


class Hub:
    """Delivers events and interactions to the app over as many connections as it has open."""

    def __init__(
        self,
        workspace: Workspace,
        clock: Clock,
        record: Record,
        changed: Callable[[], None],
        save: Callable[[], None] = lambda: None,
    ) -> None:
        self.given_up: list[Json] = []
        self.copies: dict[str, int] = {}  # event type -> how many more times to deliver the next one
        self._workspace = workspace
        self._clock = clock
        self._record, self._changed, self._save = record, changed, save
        self._connections: list[Connection] = []
        self._tickets: set[str] = set()
        self._sent: dict[str, tuple[Delivery, Callable[[Json], None]]] = {}
        self._retrying: dict[str, Timer] = {}
        self._held: list[str] | None = None

    @property
    def open(self) -> list[Connection]:
        return [connection for connection in self._connections if not connection.leaving]

    def ticket(self) -> str:
        ticket = uuid.uuid4().hex
        self._tickets.add(ticket)
        return ticket

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """One connection, from hello to its end."""
        if request.query.get("ticket") not in self._tickets:
            return web.Response(status=403)
        self._tickets.discard(request.query["ticket"])
        socket = web.WebSocketResponse(timeout=1.0)
        await socket.prepare(request)
        connection = Connection(socket, request, self._save)
        writer = asyncio.create_task(connection.write())
        try:
            self._welcome(connection)
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    self._acknowledged(json.loads(message.data))
        finally:
            writer.cancel()
            if connection in self._connections:
                self._connections.remove(connection)
            self._changed()
        return socket

    def event(self, payload: Json) -> None:
        """Deliver an event until it is acknowledged."""
        event_id = payload["event_id"]
        self._workspace.waiting[event_id] = Waiting(payload, 0)
        if self._held is not None:
            self._held.append(event_id)
            return
        for _ in range(1 + self.copies.pop(payload["event"]["type"], 0)):
            self._try(event_id)

    async def interaction(self, payload: Json) -> Json:
        """Deliver an interaction once; what came with the acknowledgement."""
        answered: asyncio.Future[Json] = asyncio.get_running_loop().create_future()

        def acknowledged(answer: Json) -> None:
            if not answered.done():
                answered.set_result(answer)

        def late() -> None:
            if not answered.done():
                answered.set_exception(NotDelivered("not acknowledged within 3 seconds"))

        if not self._send("interactive", payload, 0, "", acknowledged):
            raise NotDelivered("the app is not connected")
        timer = self._clock.after(ACK_SECONDS, late)
        try:
            return await answered
        finally:
            timer.cancel()

    def redeliver(self, payload: Json, reason: str = "timeout") -> None:
        """The same event once more, although it was acknowledged, as Slack at times does."""
        self._send("events_api", payload, 1, reason, lambda _answer: None)

    def hold(self) -> None:
        """Keep events back until they are released."""
        self._held = []

    def release(self, *, reverse: bool = False) -> None:
        held, self._held = self._held or [], None
        for event_id in reversed(held) if reverse else held:
            self._try(event_id)

    def disconnect(self, reason: str = "refresh_requested") -> None:
        """Ask every connection to be opened anew; those that stay are closed ten seconds later."""
        for connection in self.open:
            connection.leaving = reason != "warning"
            connection.send({"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-local"}})
            self._clock.after(WARNED_SECONDS, connection.abort)

    def drop(self) -> None:
        """Cut every connection without a word."""
        for connection in self._connections:
            connection.leaving = True
            connection.abort()

    async def close(self) -> None:
        for connection in list(self._connections):
            await connection.socket.close()

    def _welcome(self, connection: Connection) -> None:
        if len(self.open) >= CONNECTIONS:
            connection.send({"type": "disconnect", "reason": "too_many_websockets"})
            return
        self._connections.append(connection)
        hello: dict[str, Any] = {"type": "hello", "num_connections": len(self.open)}
        hello["connection_info"] = {"app_id": self._workspace.app_id}
        hello["debug_info"] = {"host": "applink-local", "approximate_connection_time": 18060}
        connection.send(hello)
        for event_id in list(self._workspace.waiting):
            if event_id not in self._retrying and event_id not in (self._held or ()):
                self._try(event_id, "connection_failed")
        self._changed()

    def _send(self, kind: str, payload: Json, attempt: int, reason: str, acknowledged: Callable[[Json], None]) -> bool:
        if not self.open:
            return False
        connection = self.open[0]
        self._connections.remove(connection)
        self._connections.append(connection)  # the next one goes to another connection
        envelope: Json = {"envelope_id": str(uuid.uuid4()), "type": kind, "payload": payload}
        envelope["accepts_response_payload"] = kind == "interactive"
        if kind == "events_api":
            envelope |= {"retry_attempt": attempt, "retry_reason": reason}
        delivery = Delivery(kind, payload, attempt, envelope["envelope_id"], self._clock.now())
        for forgotten in self._record.delivery(delivery):
            self._sent.pop(forgotten.envelope_id, None)
        self._sent[delivery.envelope_id] = (delivery, acknowledged)
        connection.send(envelope)
        self._changed()
        return True

    def _acknowledged(self, answer: Json) -> None:
        delivery, acknowledged = self._sent.pop(answer.get("envelope_id", ""), (None, None))
        if delivery and acknowledged:
            delivery.acked = True
            delivery.answer = answer.get("payload") or {}
            acknowledged(delivery.answer)
            self._changed()

    def _try(self, event_id: str, reason: str = "") -> None:
        waiting = self._workspace.waiting.get(event_id)
        if waiting is None:
            return
        if reason and waiting.attempt == 0:
            waiting.attempt = 1
        if self._send("events_api", waiting.payload, waiting.attempt, reason, lambda _: self._taken(event_id)):
            self._retry(event_id, ACK_SECONDS, lambda: self._late(event_id))

    def _taken(self, event_id: str) -> None:
        self._workspace.waiting.pop(event_id, None)
        if event_id in self._retrying:
            self._retrying.pop(event_id).cancel()

    def _late(self, event_id: str) -> None:
        waiting = self._workspace.waiting.get(event_id)
        if waiting is None or not self.open:
            return  # kept until somebody connects
        if waiting.attempt >= len(RETRY_AFTER):
            self.given_up.append(self._workspace.waiting.pop(event_id).payload)
            del self.given_up[:-GIVEN_UP_KEPT]
            self._changed()
            return
        waiting.attempt += 1
        self._retry(event_id, RETRY_AFTER[waiting.attempt - 1], lambda: self._try(event_id, "timeout"))

    def _retry(self, event_id: str, seconds: float, act: Callable[[], None]) -> None:
        if event_id in self._retrying:
            self._retrying.pop(event_id).cancel()

        def due() -> None:
            self._retrying.pop(event_id, None)
            act()

        self._retrying[event_id] = self._clock.after(seconds, due)
