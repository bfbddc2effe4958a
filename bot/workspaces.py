"""The workspaces that Parley is in: each is built when it is first needed, and dropped when it is gone."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from weakref import WeakValueDictionary

import structlog

from agent.core.errors import StoreError, UnreadableThread
from agent.core.events import AskCancelled, StopRequested
from agent.core.values import Person
from bot.background import Background
from bot.inbound import CancelOrdered, Inbound, Uninstalled
from bot.intake import is_urgent
from bot.live_views import LiveViews
from bot.settings import BadSettings
from bot.slack import GONE, Slack, SlackAway, SlackRefused
from bot.tokens import Tokens
from bot.workspace import Installed, Shared, Workspace

log = structlog.get_logger()

Suspect = Callable[[], None]
_BETWEEN_TRIES = 30.0
_BETWEEN_LOOKS = 60.0  # for so long work of a workspace may wait, if it was installed and left at another replica
OPERATOR = Person(name="the operator")


class Workspaces:
    """`connect` gives a client for a token, and tells whenever Slack says that the token is gone."""

    def __init__(
        self, tokens: Tokens, views: LiveViews, shared: Shared, connect: Callable[[str, Suspect], Slack]
    ) -> None:
        self._tokens, self._views, self._shared, self._connect = tokens, views, shared, connect
        self._built: dict[str, Workspace] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._served: set[str] = set()
        self._suspected: set[str] = set()
        self._wanted: set[str] = set()
        self._background = Background()
        views.want = self._want

    async def start(self) -> None:
        """One alone is built now, so that it misses nothing of what goes on; of many, each when it is needed.

        Those that other replicas install or lose are found out by looking.
        """
        for team in await self._tokens.teams():
            self._serve(team)
        if self._tokens.only:
            await self.renew(self._tokens.only)
        else:
            self._background.start(self._keep_looking())

    async def look(self) -> None:
        """See which workspaces there are now; it costs no call."""
        for team in self._served.symmetric_difference(await self._tokens.teams()):
            try:
                await self._compare(team)
            except BadSettings:  # one token that cannot be read must not hide the others
                log.exception("workspace.unreadable", team=team)

    def refresh(self, team: str) -> None:
        """Something was opened or closed there, by this replica or another."""
        if workspace := self._built.get(team):
            workspace.refresh()

    async def idle(self) -> None:
        """Wait until everything is shown."""
        for workspace in list(self._built.values()):
            await workspace.idle()

    async def let_go(self) -> None:
        """None of the threads belongs to this process any more."""
        for workspace in list(self._built.values()):
            await workspace.let_go()

    async def close(self) -> None:
        await self._background.close()
        for workspace in self._built.values():
            await workspace.close()

    async def recipient(self, teams: Sequence[str]) -> Installed | None:
        """Who is meant by something in which Slack names these teams; it costs no call."""
        for team in [self._tokens.only] if self._tokens.only else teams:
            built = self._built.get(team)
            if me := built.me if built else await self._tokens.find(team):
                return me
        return None

    async def of(self, team: str) -> Workspace | None:
        """None if Parley is not there, or no longer; raises SlackAway if that cannot be known now."""
        async with self._lock(team):
            if team in self._built:
                return self._built[team]
            me = await self._tokens.find(team)
            return await self._build(me) if me else None

    async def slack(self, team: str) -> Slack | None:
        """To say something there; None if that cannot be done now."""
        try:
            workspace = await self.of(team)
        except SlackAway:
            return None
        return workspace.slack if workspace else None

    async def renew(self, team: str) -> None:
        """There may be another token now, or work to go on with: soon, if Slack is away."""
        await self._compare(team)
        try:
            await self.of(team)
        except SlackAway:
            self._want(team)

    async def check(self, team: str) -> None:
        """Someone says that Parley was removed from there, or its token revoked: see whether it is so."""
        async with self._lock(team):
            if me := await self._tokens.find(team):
                try:
                    await self._connect(me.token, lambda: None).call("auth.test")
                except SlackRefused as refused:
                    if refused.error in GONE:
                        await self._lose(me)
        await self.renew(team)

    async def decide(self, key: str, inbound: Inbound) -> None:
        if isinstance(inbound, CancelOrdered):
            cancelled = AskCancelled(call_id=inbound.call_id, by=OPERATOR)
            await self._shared.threads.record(inbound.thread, cancelled, received=key)
            return
        if isinstance(inbound, Uninstalled):
            await self.check(inbound.team)
        elif workspace := await self.of(inbound.team):
            await workspace.intake.decide(key, inbound)
            return
        else:
            log.info("workspaces.not_there", team=inbound.team, kind=inbound.kind)
        await self._shared.store.delivery.settle(key)

    def say_failed(self, inbound: Inbound, incident: str) -> None:
        if workspace := self._built.get(inbound.team):
            workspace.intake.say_failed(inbound, incident)

    def is_urgent(self, inbound: Inbound) -> bool:
        return isinstance(inbound, Uninstalled) or is_urgent(inbound)

    def _lock(self, team: str) -> asyncio.Lock:
        return self._locks.setdefault(team, asyncio.Lock())

    def _serve(self, team: str) -> None:
        if team not in self._served:
            self._served.add(team)
            self._shared.store.adoption.serve(team)
            self._shared.changed(team)  # what came due there meanwhile can be done now

    def _leave(self, team: str) -> None:
        self._served.discard(team)
        self._shared.store.adoption.leave(team)

    async def _compare(self, team: str) -> None:
        """With the token that there is now, if there is one: what was built with another is dropped."""
        async with self._lock(team):
            me, built = await self._tokens.find(team), self._built.get(team)
            (self._serve if me else self._leave)(team)
            if built and (me is None or me.token != built.me.token):
                await self._drop(team)

    async def _keep_looking(self) -> None:
        while True:
            await self._shared.sleep(_BETWEEN_LOOKS)
            try:
                await self.look()
            except StoreError as error:
                log.warning("workspaces.not_seen", error=str(error))
            except Exception:  # the outermost loop: the next look may go better
                log.exception("workspaces.not_seen")

    async def _build(self, me: Installed) -> Workspace | None:
        slack = self._connect(me.token, lambda: self._suspect(me.team_id))
        if not me.url:
            try:
                me = replace(me, url=str((await slack.call("auth.test")).get("url") or ""))
            except SlackRefused as refused:
                log.warning("workspace.refused", team=me.team_id, error=refused.error)
                if refused.error not in GONE:  # such as an address that is not allowed yet: what was acked must wait
                    raise SlackAway(str(refused)) from refused
                await self._lose(me)
                return None
        self._serve(me.team_id)
        workspace = Workspace(me, slack, self._shared)
        self._built[me.team_id], self._views.by_team[me.team_id] = workspace, workspace.live
        try:
            await workspace.start()
        except BaseException:
            await self._drop(me.team_id)
            raise
        return workspace

    async def _lose(self, me: Installed) -> None:
        """Nothing runs on there that nobody can see. What waits for people is left as it is: it may come back."""
        log.warning("workspace.gone", team=me.team_id)
        await self._drop(me.team_id)
        self._leave(me.team_id)
        for key in await self._shared.store.adoption.unfinished(me.team_id):
            try:
                await self._shared.threads.record(key, StopRequested(by=Person()))
            except UnreadableThread:
                log.exception("thread.unreadable", thread=key.model_dump())
        await self._tokens.forget(me)  # last: until then, whoever is interrupted can begin again

    async def _drop(self, team: str) -> None:
        self._views.by_team.pop(team, None)
        if workspace := self._built.pop(team, None):
            await workspace.close()

    def _suspect(self, team: str) -> None:
        if team not in self._suspected:
            self._suspected.add(team)
            self._background.start(self._look_into(team))

    async def _look_into(self, team: str) -> None:
        try:
            await self.check(team)
        except (SlackAway, StoreError) as error:
            log.info("workspace.unsure", team=team, error=str(error))  # the next call that is refused asks again
        finally:
            self._suspected.discard(team)

    def _want(self, team: str) -> None:
        if team not in self._wanted:
            self._wanted.add(team)
            self._background.start(self._until_there(team))

    async def _until_there(self, team: str) -> None:
        try:
            while not await self._was_tried(team):
                await self._shared.sleep(_BETWEEN_TRIES)
        finally:
            self._wanted.discard(team)  # whatever happened, it can be wanted again

    async def _was_tried(self, team: str) -> bool:
        """Whether it is known now if Parley is there."""
        try:
            await self.of(team)
        except (SlackAway, StoreError) as error:
            log.warning("workspace.away", team=team, error=str(error))
            return False
        except Exception:  # the outermost loop: without the workspace nothing of its threads is shown
            log.exception("workspace.not_built", team=team)
            return False
        return True
