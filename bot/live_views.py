"""What people see while the agent works, in whichever workspace: each thread is shown in its own."""

from collections.abc import Callable

from agent.core.states import State
from agent.core.transcript import ToolCall
from agent.ports import ThreadKey
from bot.live import LiveView


class LiveViews:
    """The watcher of every thread: each is shown in its own workspace, if Parley is there."""

    def __init__(self) -> None:
        self.by_team: dict[str, LiveView] = {}
        self.want: Callable[[str], None] = lambda _team: None

    def text(self, thread: ThreadKey, delta: str, so_far: str) -> None:
        if view := self.by_team.get(thread.team):
            view.text(thread, delta, so_far)

    def restarted(self, thread: ThreadKey) -> None:
        if view := self.by_team.get(thread.team):
            view.restarted(thread)

    def tool_started(self, thread: ThreadKey, call: ToolCall) -> None:
        if view := self.by_team.get(thread.team):
            view.tool_started(thread, call)

    def tool_finished(self, thread: ThreadKey, call: ToolCall, failed: bool) -> None:
        if view := self.by_team.get(thread.team):
            view.tool_finished(thread, call, failed)

    def changed(self, thread: ThreadKey, state: State) -> None:
        if view := self.by_team.get(thread.team):
            view.changed(thread, state)
        else:  # once that is there, it shows all that is behind
            self.want(thread.team)

    def adopted(self, thread: ThreadKey, state: State) -> None:
        if view := self.by_team.get(thread.team):
            view.adopted(thread, state)
        else:
            self.want(thread.team)
