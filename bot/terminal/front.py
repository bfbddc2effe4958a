"""What the session needs of a terminal, with or without a TTY: a view of the run, and prompts for the person."""

from typing import NamedTuple, Protocol

from agent.core.questions import Question
from agent.core.transcript import ToolCall
from agent.ports import ThreadKey, Watcher


class Skip(Exception):
    """The person leaves the choice to the agent."""


class Interrupt(Exception):
    """Ctrl-C while something was asked."""


class Leave(Exception):
    """The person is going."""


class Decided(NamedTuple):
    approved: bool
    reason: str = ""


class View(Watcher, Protocol):
    def follow(self, thread: ThreadKey) -> None:
        """Show this thread and its sub-agents, and no other."""

    @property
    def streamed(self) -> bool:
        """Whether the newest reply was shown while it was written."""

    def greet(self) -> None: ...

    def say(self, markdown: str) -> None: ...

    def recall(self, said: str) -> None:
        """What the person said before they left."""

    def ask(self, question: Question, place: str) -> None:
        """The question itself; the choices are the prompt's."""

    def propose(self, call: ToolCall) -> None:
        """What is to be approved or denied."""

    def receipt(self, words: str) -> None:
        """What became of a question, right below it."""

    def note(self, words: str) -> None:
        """A word about the session itself."""

    def fail(self, words: str) -> None: ...

    def close(self) -> None:
        """Leave the terminal as it was found."""


class Prompts(Protocol):
    """Each raises Interrupt on Ctrl-C and Leave at the end of input."""

    async def message(self) -> str: ...

    async def answer(self, question: Question) -> str:
        """The answer in words, never blank; raises Skip."""

    async def decide(self) -> Decided: ...

    def interrupt(self) -> bool:
        """Take a SIGINT; false if nothing is being asked."""


class Front(NamedTuple):
    view: View
    prompts: Prompts
