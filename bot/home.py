"""App Home: published to whoever opened it, and again when something changed."""

import asyncio

import structlog

from agent.core.asks import Ending
from agent.core.errors import UnreadableThread
from agent.core.states import InTurn
from agent.ports import Card, ThreadKey
from agent.store.journal import Store
from bot.blocks import home
from bot.kept import Kept
from bot.pausing import Sleep
from bot.people import People
from bot.permissions import Permissions
from bot.slack import Slack, SlackAway, SlackRefused

log = structlog.get_logger()

_MOST_VIEWERS = 200
_MOST_CARDS = 200
_MOST_DECIDED = 10
_BETWEEN_UPDATES = 2.0
_MEMBERS_KEPT = 300.0


class Home:
    def __init__(
        self,
        store: Store,
        slack: Slack,
        people: People,
        permissions: Permissions,
        *,
        workspace_url: str,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._store, self._slack, self._people, self._permissions = store, slack, people, permissions
        self._url, self._sleep = workspace_url, sleep
        self._viewers: dict[tuple[str, str], None] = {}
        self._wanted = asyncio.Event()
        self._opened: set[tuple[str, str]] = set()
        self._members = Kept[str, frozenset[str]](_MEMBERS_KEPT)

    def open(self, team: str, user: str) -> None:
        self._viewers.pop((team, user), None)
        self._viewers[team, user] = None
        while len(self._viewers) > _MOST_VIEWERS:
            del self._viewers[next(iter(self._viewers))]
        self._opened.add((team, user))
        self._wanted.set()

    def refresh(self) -> None:
        """Something changed: everyone who looked gets to see it."""
        self._opened.update(self._viewers)
        self._wanted.set()

    async def run(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            opened, self._opened = self._opened, set()
            for team, user in opened:
                try:
                    await self._publish(team, user)
                except (SlackRefused, SlackAway) as error:
                    log.info("home.not_published", error=str(error))
                except Exception:  # the outermost loop: the next one may go better
                    log.exception("home.failed")
            await self._sleep(_BETWEEN_UPDATES)

    async def _publish(self, team: str, user: str) -> None:
        waiting = [
            home.Waiting(card.title, key.channel, int(card.at), self._link(key, card))
            for key, card in await self._store.delivery.open_cards(team, _MOST_CARDS)
            if await self._is_in(user, key.channel) and await self._may_answer(user, key, card)
        ]
        decided = [
            _decided(key, card, self._link(key, card))
            for key, card in await self._store.delivery.ended_cards(team, _MOST_CARDS)
            if await self._is_in(user, key.channel)
        ]
        await self._slack.call("views.publish", user_id=user, view=home.home(waiting, decided[:_MOST_DECIDED]))

    async def _is_in(self, user: str, channel: str) -> bool:
        """Whether they can see the place at all. If Slack will not say, nothing from there is shown."""
        members = self._members.get(channel)
        if members is None:
            members = await self._members_of(channel)
            self._members.put(channel, members)
        return user in members

    async def _members_of(self, channel: str) -> frozenset[str]:
        found: list[str] = []
        cursor = None
        while True:
            try:
                answer = await self._slack.call("conversations.members", channel=channel, limit=999, cursor=cursor)
            except SlackRefused as refused:
                log.info("home.members_unknown", channel=channel, error=refused.error)
                return frozenset()
            found += [str(member) for member in answer.get("members", ())]
            cursor = (answer.get("response_metadata") or {}).get("next_cursor") or None
            if not cursor:
                return frozenset(found)

    async def _may_answer(self, user: str, key: ThreadKey, card: Card) -> bool:
        try:
            state = await self._store.state(key)
        except UnreadableThread:  # one that cannot be read must not hide the others
            return False
        requester = state.requester if isinstance(state, InTurn) else ""
        member = await self._people.member(user, key.team)
        rule = self._permissions.approve if "/approval/" in card.name else self._permissions.answer
        groups = frozenset([group for group in rule.groups if user in await self._people.of_group(group)])
        what = "approve" if "/approval/" in card.name else "answer"
        return self._permissions.refusal(what, member, requester, groups) is None  # type: ignore[arg-type]

    def _link(self, key: ThreadKey, card: Card) -> str:
        if not self._url or not card.ts:
            return ""
        place = f"archives/{key.channel}/p{card.ts.replace('.', '')}"
        return f"{self._url.rstrip('/')}/{place}?thread_ts={key.root}&cid={key.channel}"


def _decided(key: ThreadKey, card: Card, url: str) -> home.Decided:
    ending = Ending.model_validate_json(card.ending)
    given = [asked.given.words for asked in ending.asked if asked.given]
    outcome = ", ".join(given) or ending.how
    return home.Decided(card.title, outcome, ending.by, int(card.at), key.channel, url)
