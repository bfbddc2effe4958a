"""Without a TTY: plain text line by line, and numbered options answered by number, label or free text."""

from agent.core.questions import Question
from agent.core.states import State, Thinking
from agent.core.transcript import ToolCall
from agent.ports import ThreadKey
from bot.terminal import shown
from bot.terminal.front import Decided, Leave, Skip
from bot.terminal.safe import clean
from bot.terminal.streams import Lines, Output


class PlainView:
    def __init__(self, output: Output) -> None:
        self._output = output
        self._thread: ThreadKey | None = None
        self.streamed = False

    def follow(self, thread: ThreadKey) -> None:
        self._thread = thread

    def text(self, thread: ThreadKey, delta: str, so_far: str) -> None:
        if thread == self._thread:
            self._output.write(clean(delta))
            self.streamed = True

    def restarted(self, thread: ThreadKey) -> None:
        if thread == self._thread:
            self.streamed = False
            self._output.line("(the reply broke off and begins again)")

    def tool_started(self, thread: ThreadKey, call: ToolCall) -> None: ...

    def tool_finished(self, thread: ThreadKey, call: ToolCall, failed: bool) -> None:
        if shown.concerns(thread, self._thread):
            self._output.line(shown.finished_text(thread, shown.call_text(thread, call), failed).plain)

    def changed(self, thread: ThreadKey, state: State) -> None:
        if thread == self._thread and isinstance(state, Thinking):
            self.streamed = False

    def adopted(self, thread: ThreadKey, state: State) -> None:
        self.changed(thread, state)

    def greet(self) -> None:
        self._output.line("Parley. Each line is a message; the end of input leaves.")

    def say(self, markdown: str) -> None:
        self._output.line(clean(markdown))

    def recall(self, said: str) -> None:
        self._output.line(f"You said: {clean(said)}")

    def ask(self, question: Question, place: str) -> None:
        self._output.line()
        self._output.line(shown.question_text(question, place).plain)

    def propose(self, call: ToolCall) -> None:
        self._output.line()
        self._output.line(shown.proposal_text(call).plain)

    def receipt(self, words: str) -> None:
        self._output.line(clean(words))

    def note(self, words: str) -> None:
        self._output.line(clean(words))

    def fail(self, words: str) -> None:
        self._output.line(f"✗ {clean(words)}")

    def close(self) -> None:
        self._output.end_line()


class PlainPrompts:
    def __init__(self, lines: Lines, output: Output, *, echo: bool) -> None:
        self._lines = lines
        self._output = output
        self._echo = echo  # what is piped in is not on the screen yet

    async def message(self) -> str:
        text = await self._next()
        if self._echo and text.strip():
            self._output.line(f"> {clean(text)}")
        return text

    async def answer(self, question: Question) -> str:
        for number, option in enumerate(question.options, start=1):
            label, description = shown.option_texts(option)
            self._output.line(f"  {number}. {label}" + (f" — {description}" if description else ""))
        while True:
            self._output.line(f"{_how_to_answer(question)} An empty line skips.")
            line = await self._next()
            if not line.strip():
                raise Skip
            if words := question.match(line) or question.answer(text=line):
                return words
            self._output.line("That is none of the options.")

    async def decide(self) -> Decided:
        while True:
            self._output.line("1 or yes approves; 2 or no denies, with a reason after it if you like.")
            word, _, rest = (await self._next()).strip().partition(" ")
            match word.casefold().rstrip(",.:;"):
                case "1" | "y" | "yes" | "approve" if not rest:
                    return Decided(True)
                case "2" | "n" | "no" | "deny":
                    return Decided(False, rest.strip())

    def interrupt(self) -> bool:
        return self._lines.interrupt()

    async def _next(self) -> str:
        if self._output.gone:
            raise Leave
        return await self._lines.next()


def _how_to_answer(question: Question) -> str:
    if not question.options:
        return "Answer in your own words."
    numbers = "Answer with numbers (1,3) or labels" if question.multi_select else "Answer with a number or a label"
    return f"{numbers}, or in your own words." if question.allow_custom else f"{numbers}."
