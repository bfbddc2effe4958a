"""The run on a TTY: finished blocks of Markdown for good, and below them, live, what is still going on."""

import asyncio

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.spinner import Spinner
from rich.text import Text

from agent.core.questions import Question
from agent.core.states import UNFINISHED, AtRest, Failed, State, Thinking
from agent.core.transcript import ToolCall
from agent.ports import ThreadKey
from bot.terminal import shown
from bot.terminal.blocks import Blocks
from bot.terminal.keyboard import Keyboard
from bot.terminal.markdown import Block
from bot.terminal.safe import clean

_SECONDS_A_FRAME = 0.1


class LiveView:
    def __init__(self, console: Console, keyboard: Keyboard) -> None:
        self._console = console
        self._keyboard = keyboard
        self._thread: ThreadKey | None = None
        self._live: Live | None = None
        self._animation: asyncio.Task[None]
        self._blocks = Blocks()
        self._running: dict[tuple[ThreadKey, str], Padding] = {}
        self._thinking = Spinner("dots", Text("thinking…", "dim"), style="cyan")
        self._after_tool = False
        self.streamed = False

    def follow(self, thread: ThreadKey) -> None:
        self._thread = thread

    def text(self, thread: ThreadKey, delta: str, so_far: str) -> None:
        if thread != self._thread or not self._live:
            return
        self.streamed = True
        self._show(*map(Block, self._blocks.add(clean(delta))))

    def restarted(self, thread: ThreadKey) -> None:
        if thread == self._thread and self._live:
            self.streamed = False
            self._blocks = Blocks()
            self._show(Text("(the reply broke off and begins again)", "dim"))

    def tool_started(self, thread: ThreadKey, call: ToolCall) -> None:
        if shown.concerns(thread, self._thread) and self._live:
            line = Spinner("dots", shown.call_text(thread, call), style="cyan")
            self._running[thread, call.id] = Padding(line, (0, 0, 0, shown.indented(thread)))

    def tool_finished(self, thread: ThreadKey, call: ToolCall, failed: bool) -> None:
        if self._running.pop((thread, call.id), None):
            self._show_finished(thread, shown.call_text(thread, call), failed)

    def changed(self, thread: ThreadKey, state: State) -> None:
        if thread.call_id:
            if shown.concerns(thread, self._thread) and self._live and isinstance(state, AtRest):
                self._show_finished(thread, shown.agent_text(thread), isinstance(state, Failed))
        elif thread == self._thread:
            if isinstance(state, Thinking):
                self.streamed = False
            self._show(*map(Block, self._blocks.end()))
            if state.kind in UNFINISHED:
                self._start()
            else:
                self.close()

    def adopted(self, thread: ThreadKey, state: State) -> None:
        self.changed(thread, state)

    def greet(self) -> None:
        keys = "Ctrl-C stops a run, and again leaves. Esc skips a question."
        self._console.print(Text.assemble(("Parley", "bold"), (f"  {keys}", "dim")))

    def say(self, markdown: str) -> None:
        self._show(Block(clean(markdown)))

    def recall(self, said: str) -> None:
        self._show(Text(f"You said: {clean(said)}", "dim"))

    def ask(self, question: Question, place: str) -> None:
        self._show(shown.question_text(question, place))

    def propose(self, call: ToolCall) -> None:
        self._show(shown.proposal_text(call))

    def receipt(self, words: str) -> None:
        self._print(Text(clean(words), "dim"))

    def note(self, words: str) -> None:
        self._show(Text(clean(words), "dim"))

    def fail(self, words: str) -> None:
        self._show(Text(f"✗ {clean(words)}", "red"))

    def close(self) -> None:
        self._running.clear()
        if self._live:
            live, self._live = self._live, None
            live.stop()
            self._animation.cancel()
            self._keyboard.restore()

    def _start(self) -> None:
        if not self._live:
            self._keyboard.hush()
            self._live = Live(
                get_renderable=self._unfinished,
                console=self._console,
                auto_refresh=False,  # it would be by a thread, and two that draw tear the picture
                transient=True,
            )
            self._live.start()
            self._animation = asyncio.create_task(_animate(self._live))

    def _unfinished(self) -> RenderableType:
        tail = self._blocks.tail
        below = tuple(self._running.values()) or (self._thinking,)
        if not tail.strip():
            return Group("", *below)
        return Group("", Block(tail, most=max(1, self._console.height - len(below) - 3)), "", *below)

    def _show(self, *parts: RenderableType) -> None:
        for part in parts:
            self._print(Text(), part)
            self._after_tool = False

    def _show_finished(self, thread: ThreadKey, what: Text, failed: bool) -> None:
        line = Padding(shown.finished_text(thread, what, failed), 0)  # printed by itself it would be wrapped
        self._print(*(() if self._after_tool else (Text(),)), line)
        self._after_tool = True

    def _print(self, *lines: RenderableType) -> None:
        with self._console:  # in one piece, so that nothing is seen twice or not at all
            if self._live:
                self._live.refresh()
            for line in lines:
                self._console.print(line)


async def _animate(live: Live) -> None:
    while live.is_started:
        live.refresh()
        await asyncio.sleep(_SECONDS_A_FRAME)
