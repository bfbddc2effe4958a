"""Keys pressed while nothing is asked: they are not echoed, and never taken for an answer."""

import contextlib
import sys
import termios

from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import clear_typeahead

_LOCAL_MODES = 3


class Keyboard:
    def __init__(self) -> None:
        self._modes: list[int | list[bytes | int]] | None = None

    def hush(self) -> None:
        """Echo nothing, so that the live view stays whole. Ctrl-C still is SIGINT."""
        with contextlib.suppress(termios.error):
            modes = termios.tcgetattr(sys.stdin)
            self._modes = list(modes)
            modes[_LOCAL_MODES] &= ~termios.ECHO
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, modes)

    def restore(self) -> None:
        if self._modes is not None:
            with contextlib.suppress(termios.error):
                termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._modes)
            self._modes = None

    def discard(self, source: Input) -> None:
        """An Enter meant for something else must not answer a question that just came up."""
        clear_typeahead(source)
        with contextlib.suppress(termios.error):
            termios.tcflush(sys.stdin, termios.TCIFLUSH)
