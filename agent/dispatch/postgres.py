"""Many processes on one PostgreSQL: each is known to live by a lock, and hears of what the others leave to it."""

import asyncio
import random
import select
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import chain, repeat

import psycopg
import structlog

from agent import signals
from agent.core.errors import StoreError
from agent.ports import NOBODY
from agent.signals import Lost, Sign, Sweep

log = structlog.get_logger()

_BEAT_SECONDS = 0.5
_FROZEN_SECONDS = 5.0  # one that has not moved for so long is taken for dead by the others
_CERTAIN_SECONDS = 3.0  # one that has moved within so long cannot have been
_PAUSES = (0.1, 0.2, 0.4, 0.8, 1.6)
_LONGEST_PAUSE = 2.0
# With nothing heard from the other end for some seconds, the connection counts as lost.
_CONNECTION = {"connect_timeout": "5", "tcp_user_timeout": "3000", "client_encoding": "utf8"}

_TAKE = f"SELECT pg_try_advisory_lock({signals.NAMESPACE}, %s)"
_LOOK = (
    "SELECT objid::bigint, pid, clock_timestamp() - state_change > make_interval(secs => %s)"
    f" FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE {signals.IS_HELD}"
)
_END = "SELECT pg_terminate_backend(%s)"


class PostgresPresence:
    """On a connection and a thread of its own: an event loop that is busy for a while must not look dead."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._number = NOBODY
        self._living: frozenset[int] = frozenset()
        self._beaten = float("-inf")
        self._hear: Callable[[Sign], None] = lambda _sign: None
        self._leaving, self._giving_up, self._may_return = (threading.Event() for _ in range(3))
        self._waker: socket.socket
        self._woken: socket.socket
        self._thread: threading.Thread | None = None

    @property
    def number(self) -> int:
        return self._number

    def lives(self, number: int) -> bool:
        return number in self._living

    def is_current(self) -> bool:
        return _now() - self._beaten < _CERTAIN_SECONDS

    async def join(self, hear: Callable[[Sign], None]) -> None:
        """When this returns it has a number; `hear` is called on this event loop."""
        loop = asyncio.get_running_loop()
        self._hear = lambda sign: _tell(loop, hear, sign)
        try:
            connection = await asyncio.to_thread(self._enter)
        except psycopg.Error as error:
            raise StoreError(f"The database cannot be used now ({type(error).__name__}).") from error
        self._waker, self._woken = socket.socketpair()
        self._thread = threading.Thread(target=self._serve, args=(connection,), name="presence", daemon=True)
        self._thread.start()

    def give_up(self) -> None:
        """Lose the place and everything that belongs to us, as if the connection had gone."""
        self._giving_up.set()
        self._waker.send(b".")

    def rejoin(self) -> None:
        """Whatever ran under the number that was lost has ended: come back under a new one."""
        self._may_return.set()

    async def leave(self) -> None:
        """Free what belongs to us, and tell the others."""
        if not self._thread:
            return
        self._leaving.set()
        self._may_return.set()
        self._waker.send(b".")
        await asyncio.to_thread(self._thread.join)
        self._waker.close()
        self._woken.close()

    def _serve(self, connection: psycopg.Connection | None) -> None:
        while connection:
            try:
                self._stay(connection)
            except psycopg.Error as error:
                log.warning("replica.lost", number=self._number, error=type(error).__name__)
            except Exception:  # whatever went wrong, it must come back: nobody else can bring it
                log.exception("replica.lost", number=self._number)
            self._go(connection)
            connection = self._return()

    def _enter(self) -> psycopg.Connection:
        connection = psycopg.connect(self._url, autocommit=True, application_name="parley", **_CONNECTION)  # type: ignore[arg-type]
        try:
            number = random.randrange(1, 2**31)
            while not _scalar(connection, _TAKE, number):
                number = random.randrange(1, 2**31)
            connection.add_notify_handler(self._heard_meanwhile)
            for channel in (signals.EVERYONE, signals.channel_of(number)):
                connection.execute(f"LISTEN {channel}")
            self._beat(connection)
        except BaseException:
            connection.close()
            raise
        self._number = number  # only now, since whatever is written under it must be heard of
        return connection

    def _stay(self, connection: psycopg.Connection) -> None:
        while not (self._leaving.is_set() or self._giving_up.is_set()):
            self._beat(connection)
            self._hear(Sweep())
            self._listen(connection, time.monotonic() + _BEAT_SECONDS)

    def _beat(self, connection: psycopg.Connection) -> None:
        """Show that this one lives, see who else does, and end those that are frozen: their threads must go on."""
        began = _now()
        found = connection.execute(_LOOK, [_FROZEN_SECONDS]).fetchall()
        self._living = frozenset(number for number, _, _ in found)
        self._beaten = began
        for number, pid, frozen in found:
            if frozen:
                log.warning("replica.frozen", number=number)
                connection.execute(_END, [pid])

    def _listen(self, connection: psycopg.Connection, until: float) -> None:
        hurry, ready = False, select.poll()
        for watched in (connection, self._woken):
            ready.register(watched, select.POLLIN)
        while not hurry and (left := until - time.monotonic()) > 0:
            if self._woken.fileno() in dict(ready.poll(left * 1_000)):
                self._woken.recv(1)
                return
            connection.pgconn.consume_input()
            while heard := connection.pgconn.notifies():
                hurry |= isinstance(self._heard(heard.relname.decode(), heard.extra.decode()), Sweep)

    def _heard_meanwhile(self, heard: psycopg.Notify) -> None:
        """What came along with the answer to a query."""
        self._heard(heard.channel, heard.payload)

    def _heard(self, channel: str, payload: str) -> Sign:
        sign = signals.sign_of(channel, payload)
        self._hear(sign)
        return sign

    def _go(self, connection: psycopg.Connection) -> None:
        self._number, self._living, self._beaten = NOBODY, frozenset(), float("-inf")
        if self._leaving.is_set():
            with suppress(psycopg.Error):
                connection.execute("SELECT pg_advisory_unlock_all()")
                connection.execute(f"NOTIFY {signals.EVERYONE}, '{signals.LEFT}'")
        else:
            self._giving_up.clear()
            self._may_return.clear()
            self._hear(Lost())
        connection.close()

    def _return(self) -> psycopg.Connection | None:
        self._may_return.wait()
        for pause in chain(_PAUSES, repeat(_LONGEST_PAUSE)):
            if self._leaving.is_set():
                return None
            try:
                connection = self._enter()
            except psycopg.Error as error:
                log.info("replica.away", error=type(error).__name__, retry_in=pause)
            except Exception:  # whatever went wrong, it must go on trying: nobody else can bring it back
                log.exception("replica.away", retry_in=pause)
            else:
                log.info("replica.back", number=self._number)
                return connection
            self._leaving.wait(pause)
        return None


def _now() -> float:
    """By a clock that goes on while the machine is suspended: the others' do (and macOS' CLOCK_MONOTONIC)."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def _scalar(connection: psycopg.Connection, query: str, *given: object) -> object:
    row = connection.execute(query, given).fetchone()
    return row[0] if row else None


def _tell(loop: asyncio.AbstractEventLoop, hear: Callable[[Sign], None], sign: Sign) -> None:
    with suppress(RuntimeError):  # the loop has ended meanwhile
        loop.call_soon_threadsafe(hear, sign)
