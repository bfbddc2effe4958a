"""Standard input and output as a pipe gives them: read without blocking the loop, written while someone reads."""

import asyncio
import os
import sys

from bot.terminal.front import Interrupt, Leave

_CHUNK = 65536


class Lines:
    """Without a thread, which would outlive the session at its read."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = b""
        self._ended = False
        self._readable: asyncio.Future[None] | None = None

    async def next(self) -> str:
        """The next line without its end; raises Leave when there is none."""
        while b"\n" not in self._buffer and not self._ended:
            await self._wait()
            chunk = os.read(self._descriptor, _CHUNK)
            self._buffer += chunk
            self._ended = not chunk
        if not self._buffer:
            raise Leave
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode("utf-8", "replace").rstrip("\r")

    def interrupt(self) -> bool:
        if self._readable is None or self._readable.done():
            return False
        self._readable.set_exception(Interrupt())
        return True

    async def _wait(self) -> None:
        loop = asyncio.get_running_loop()
        self._readable = readable = loop.create_future()
        try:
            loop.add_reader(self._descriptor, _resolve, readable)
        except PermissionError:
            return  # a file on disk: it cannot be waited for, and need not be
        try:
            await readable
        finally:
            loop.remove_reader(self._descriptor)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class Output:
    """Once nobody reads it any more it is `gone`, and writing does nothing."""

    def __init__(self) -> None:
        self.gone = False
        self._in_line = False

    def write(self, text: str) -> None:
        if self.gone or not text:
            return
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError:
            self.gone = True
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is left in its buffer
        self._in_line = not text.endswith("\n")

    def line(self, text: str = "") -> None:
        """A line of its own, whatever was written before."""
        self.end_line()
        self.write(f"{text}\n")

    def end_line(self) -> None:
        self.write("\n" if self._in_line else "")
