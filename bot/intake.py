"""What people do in Slack: written down before the ack, then decided with Slack's facts about who did it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import structlog

from agent.core.events import (
    ActionDecided,
    AnswersGiven,
    AskCancelled,
    AskSkipped,
    Event,
    MessageReceived,
    ModelReplied,
    StopRequested,
)
from agent.core.states import Acting, AtRest, InTurn, State
from agent.core.steps import Refused, Why
from agent.core.values import Person
from agent.store.journal import Store
from agent.threads import Threads
from bot import ids, words
from bot.background import Background
from bot.files import Files
from bot.inbound import (
    Cancelled,
    Click,
    Decided,
    DetailsWanted,
    HomeOpened,
    Inbound,
    Said,
    Skipped,
    StopPressed,
    Submitted,
    Unknown,
)
from bot.meaning import is_answer, is_open, means_stop, whole_view
from bot.people import Member, People
from bot.permissions import Permissions, What
from bot.places import Places
from bot.slack import Slack, SlackAway, SlackRefused

log = structlog.get_logger()

InThread = Said | StopPressed | Click


def is_urgent(inbound: Inbound) -> bool:
    """To stop must not wait for what came before it in the same thread."""
    return isinstance(inbound, StopPressed) or (
        isinstance(inbound, Said) and inbound.addressed and means_stop(inbound.text)
    )


@dataclass(frozen=True)
class Intake:
    store: Store
    threads: Threads
    slack: Slack
    people: People
    permissions: Permissions
    places: Places
    files: Files
    open_home: Callable[[str, str], None]
    background: Background

    async def decide(self, key: str, inbound: Inbound) -> None:
        """Deal with what came in under this key; when this returns it no longer waits in the inbox."""
        match inbound:
            case Said():
                await self._said(key, inbound)
            case StopPressed():
                await self._stop(key, inbound)
            case Submitted() | Skipped() | Cancelled():
                await self._answered(key, inbound)
            case Decided():
                await self._decided(key, inbound)
            case DetailsWanted():
                await self._show_details(inbound)
                await self.store.delivery.settle(key)
            case HomeOpened():
                self.open_home(inbound.team, inbound.user)
                await self.store.delivery.settle(key)
            case Unknown():
                await self.store.delivery.settle(key)
                self._tell(inbound, ids.UnknownId.shown)

    async def _said(self, key: str, said: Said) -> None:
        state = await self.store.state(said.thread)
        waits = isinstance(state, Acting) and state.waits_for_people
        if not said.addressed and not waits:
            await self.store.delivery.settle(key)  # people talking among themselves
            return
        if said.addressed and means_stop(said.text) and not is_answer(state, said.text, Person()):
            await self._stop(key, said)
            return
        member, refusal = await self._may("answer" if waits else "start", said.user, said.team, state, said.external)
        author = Person(id=said.user, name=member.name)
        if refusal and (said.addressed or is_answer(state, said.text, author)):
            await self._refuse(key, said, refusal)
        elif refusal and (member.guest or member.external or not member.known):
            await self.store.delivery.settle(key)  # what outsiders say among themselves is not for the agent
        elif isinstance(state, AtRest) and not said.direct and not await self.places.includes(said.channel):
            await self.store.delivery.settle(key)
            self.background.start(self.places.ask_in(said.channel, said.user))
        else:
            (text, images), context = await self.files.read(said), await self._context(said, state)
            heard = {"text": text, "images": images, "context": context}
            event = MessageReceived(**heard, author=author, addressed=said.addressed)
            await self._record(key, said, event)

    async def _context(self, said: Said, state: State) -> str:
        """What the agent has missed. In direct messages it misses nothing, once it is there."""
        heard = state.seq > 0
        if not isinstance(state, AtRest) or not said.thread_ts or (said.direct and heard):
            return ""
        return await self.files.thread_before(said, heard=heard)

    async def _stop(self, key: str, stop: StopPressed | Said) -> None:
        """Anyone who belongs here may, at once: it waits neither for its turn nor for Slack to say who it was."""
        member = await self.people.quickly(stop.user, stop.team)
        if (member.external and not self.permissions.externals) or (member.guest and not self.permissions.guests):
            await self._refuse(key, stop, "Sorry, only members of this workspace can stop me.")
            return
        await self._record(key, stop, StopRequested(by=Person(id=stop.user, name=member.name)))

    async def _answered(self, key: str, click: Submitted | Skipped | Cancelled) -> None:
        state = await self.store.state(click.thread)
        member, refusal = await self._may("answer", click.user, click.team, state, click.external)
        if refusal:
            await self._refuse(key, click, refusal if is_open(state, click.call_id) else await self._late(click))
            return
        by = Person(id=click.user, name=member.name or click.user_name)
        if isinstance(click, Skipped):
            event: Event = AskSkipped(call_id=click.call_id, by=by)
        elif isinstance(click, Cancelled):
            event = AskCancelled(call_id=click.call_id, by=by)
        elif is_open(state, click.call_id):
            event = AnswersGiven(call_id=click.call_id, answers=await self._answers(click), by=by)
        else:
            await self._refuse(key, click, await self._late(click))
            return
        await self._record(key, click, event)

    async def _answers(self, click: Submitted) -> dict[int, str]:
        for shown in (await self.threads.pending(click.thread)).asks:
            if shown.open.call_id == click.call_id:
                questions = shown.ask.questions
                given = {
                    number: questions[number].answer(picked.chosen, picked.text)
                    for number, picked in click.choices.items()
                    if number < len(questions)
                }
                return {number: words for number, words in given.items() if words}
        return {}

    async def _decided(self, key: str, click: Decided) -> None:
        state = await self.store.state(click.thread)
        member, refusal = await self._may("approve", click.user, click.team, state, click.external)
        if refusal:
            await self._refuse(key, click, refusal if is_open(state, click.call_id) else await self._late(click))
            return
        by = Person(id=click.user, name=member.name or click.user_name)
        decided = {"call_id": click.call_id, "approved": click.approved, "reason": click.reason}
        await self._record(key, click, ActionDecided(**decided, by=by))

    async def _show_details(self, click: DetailsWanted) -> None:
        """Of what is closed, too: its message has the button as well."""
        replies = [event for event in await self.store.events(click.thread) if isinstance(event, ModelReplied)]
        for reply in replies:
            for call in reply.calls:
                if call.id == click.call_id:
                    await self._open(click, whole_view(call, reply.waits.get(call.id)))
                    return
        self._tell(click, words.NOT_OPEN)

    async def _open(self, click: Click, view: dict[str, Any]) -> None:
        try:
            await self.slack.call("views.open", trigger_id=click.trigger_id, view=view)
        except (SlackRefused, SlackAway) as error:
            log.info("intake.no_modal", error=str(error))

    async def _may(self, what: What, user: str, team: str, state: State, external: bool) -> tuple[Member, str | None]:
        member = await self.people.member(user, team)
        if external and not member.external:
            member = replace(member, external=True)
        groups = self.permissions.rule(what).groups
        mine = frozenset([group for group in groups if user in await self.people.of_group(group)])
        requester = state.requester if isinstance(state, InTurn) else ""
        return member, self.permissions.refusal(what, member, requester, mine)

    async def _record(self, key: str, inbound: InThread, event: Event) -> None:
        outcome = await self.threads.record(inbound.thread, event, received=key)
        if isinstance(outcome, Refused):
            unheard = isinstance(inbound, Said) and not inbound.addressed
            if unheard or outcome.why is Why.TAKEN_OVER:
                return
            self._tell(inbound, await self._why_not(inbound, outcome))
        elif outcome.beaten:
            self._tell(inbound, words.refusal(Refused(Why.ALREADY_ANSWERED, outcome.beaten)))

    async def _why_not(self, inbound: Inbound, refused: Refused) -> str:
        if refused.why is not Why.EMPTY:
            return words.refusal(refused)
        if not isinstance(inbound, Submitted):
            return words.HELLO
        state = await self.store.state(inbound.thread)
        ask = state.ask(inbound.call_id) if isinstance(state, Acting) else None
        return (
            words.missing(ask.asked[number].question.question for number in ask.unanswered) if ask else words.NOT_OPEN
        )

    def say_failed(self, inbound: Inbound, incident: str) -> None:
        if isinstance(inbound, InThread):
            self._tell(inbound, words.FAILED.format(incident=incident))

    async def _late(self, click: Click) -> str:
        """What someone is told of something that is closed, whether they may decide it or not."""
        ending = await self.store.ending(click.thread, click.call_id)
        return words.ended(ending) if ending else words.NOT_OPEN

    async def _refuse(self, key: str, inbound: InThread, sentence: str) -> None:
        if await self.store.delivery.settle(key):
            self._tell(inbound, sentence)

    def _tell(self, inbound: InThread, sentence: str) -> None:
        """Only to them, and without holding up what comes next."""
        self.background.start(self._whisper(inbound, sentence))

    async def _whisper(self, inbound: InThread, sentence: str) -> None:
        thread = inbound.thread
        try:
            await self.slack.call(
                "chat.postEphemeral", channel=thread.channel, thread_ts=thread.root, user=inbound.user, text=sentence
            )
        except (SlackRefused, SlackAway) as error:
            log.info("intake.not_told", error=str(error))
