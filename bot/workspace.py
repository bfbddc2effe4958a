"""One workspace: who Parley is there, and everything that acts there with its token."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from agent.store.journal import Store
from agent.threads import Threads
from bot.background import Background
from bot.cards import Cards
from bot.files import Files
from bot.home import Home
from bot.intake import Intake
from bot.live import LiveView
from bot.pausing import Sleep
from bot.people import People
from bot.permissions import Permissions
from bot.places import Places
from bot.schedule import Schedule
from bot.slack import Slack


@dataclass(frozen=True)
class Installed:
    """Parley in one workspace, by the token that it was given there; `url` is known once Slack was asked."""

    team_id: str
    user_id: str
    bot_id: str
    token: str = field(repr=False)
    url: str = ""


@dataclass(frozen=True)
class Shared:
    """What all workspaces have in common; `changed` says in which of them something opened, closed or came back."""

    store: Store
    threads: Threads
    permissions: Permissions
    due: Schedule
    api_url: str
    changed: Callable[[str], None]
    clock: Callable[[], float]
    sleep: Sleep


class Workspace:
    def __init__(self, me: Installed, slack: Slack, shared: Shared) -> None:
        self.me, self.slack, self._store, self._threads = me, slack, shared.store, shared.threads
        store, permissions, sleep = shared.store, shared.permissions, shared.sleep
        people = People(slack)
        home = Home(store, slack, people, permissions, workspace_url=me.url, sleep=sleep)
        self.live = LiveView(slack, sleep)
        self._home, self._background, self._showing = home, Background(), Background()
        changed = partial(shared.changed, me.team_id)
        self._cards = Cards(
            store, slack, live=self.live, due=shared.due, me=me, changed=changed, clock=shared.clock, sleep=sleep
        )
        self.live.follow(self._cards.show, self._cards.behind, self._cards.doubt)
        self.intake = Intake(
            store=store,
            threads=shared.threads,
            slack=slack,
            people=people,
            permissions=permissions,
            places=Places(slack, shared.clock),
            files=Files(slack, people, token=me.token, api_url=shared.api_url, bot_user_id=me.user_id),
            open_home=home.open,
            background=self._background,
        )

    async def start(self) -> None:
        """Show whatever is not shown yet, and from now on what changes."""
        self._showing.start(self._home.run())
        for key in await self._store.adoption.behind(self.me.team_id):
            await self._threads.tell_again(key)
        self._cards.trust()

    def refresh(self) -> None:
        self._home.refresh()

    async def idle(self) -> None:
        """Wait until everything is shown."""
        await self._cards.idle()

    async def let_go(self) -> None:
        """None of the threads belongs to this process any more."""
        await self.live.let_go()
        await self._cards.let_go()

    async def close(self) -> None:
        """What is still to be shown is known, and shown when the workspace is there again."""
        for part in (self._showing, self._cards, self.live, self._background):
            await part.close()
