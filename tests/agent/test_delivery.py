"""What came in and what is shown, beside the journal: one contract for every database."""

from dataclasses import replace

from agent.core.events import MessageReceived, ModelReplied
from agent.core.transcript import ToolCall
from agent.ports import Card, Fact, NoMeter, Occurrence, Recorded, ThreadKey
from agent.store.journal import Store
from tests.support.world import ANN, THREAD

OTHER = ThreadKey(team="T2", channel="C9", root="1700000000.000900")
SAID = MessageReceived(text="go", author=ANN)
ASK = ToolCall.numbered(1, 0, "ask_user_question", '{"questions": [{"question": "Why?"}]}')
ASKED = ModelReplied(turn=1, seen=1, calls=(ASK,), waits={ASK.id: "ask"})
FORM = Card("2/ask/000001000", "1.5", "abc", 100.0, is_open=True, title="Why?", remind_at=200.0, expire_at=300.0)


class Commits(NoMeter):
    count = 0

    def happened(self, what: Occurrence, **_facts: Fact) -> None:
        self.count += what == "committed"


async def waiting(store: Store) -> list[tuple[str, str]]:
    return await store.adoption.received(await store.adoption.dead(0))


async def unshown(store: Store) -> list[ThreadKey]:
    store.adoption.serve("T1")
    return await store.adoption.threads(await store.adoption.dead(0))


async def test_what_comes_in_twice_is_accepted_once(store: Store) -> None:
    assert await store.delivery.accept("said/T1/C1/1.0", "{}")
    assert not await store.delivery.accept("said/T1/C1/1.0", "{}")

    assert await waiting(store) == [("said/T1/C1/1.0", "{}")]


async def test_what_is_dealt_with_no_longer_waits_but_is_known_again(store: Store) -> None:
    await store.delivery.accept("a", "{}")

    await store.delivery.settle("a")

    assert await waiting(store) == []
    assert not await store.delivery.accept("a", "{}")


async def test_what_came_in_is_left_until_it_is_dealt_with(store: Store) -> None:
    assert not await store.delivery.is_left("a")
    await store.delivery.accept("a", "{}")
    assert await store.delivery.is_left("a")

    await store.delivery.settle("a")

    assert not await store.delivery.is_left("a")


async def test_an_event_deals_with_what_it_came_from_in_the_same_transaction(store: Store) -> None:
    await store.delivery.accept("a", "{}")
    await store.delivery.accept("b", "{}")

    assert isinstance(await store.append(THREAD, SAID, received="a"), Recorded)
    chatter = MessageReceived(text="lunch?", addressed=False)
    assert not isinstance(await store.append(OTHER, chatter, received="b"), Recorded)

    assert await waiting(store) == []


async def test_only_what_was_dealt_with_is_forgotten(database_url: str) -> None:
    now = 0.0
    store = await Store.open(database_url, clock=lambda: now)
    await store.delivery.accept("done", "{}")
    await store.delivery.settle("done")
    await store.delivery.accept("open", "{}")

    await store.delivery.forget_before(1.0)

    assert await store.delivery.accept("done", "{}")
    assert not await store.delivery.accept("open", "{}")
    await store.close()


async def test_a_thread_is_unshown_until_its_newest_row_is(store: Store) -> None:
    for event in (SAID, ASKED):
        await store.append(THREAD, event)
    await store.append(OTHER, SAID)

    assert await unshown(store) == [THREAD]
    await store.delivery.show(THREAD, [], 1)
    assert await unshown(store) == [THREAD]
    await store.delivery.show(THREAD, [FORM], 2)

    assert await unshown(store) == []
    assert await store.delivery.cards(THREAD) == ([FORM], 2)


async def test_looking_for_what_is_left_commits_nothing(database_url: str) -> None:
    commits = Commits()
    store = await Store.open(database_url, meter=commits)
    store.adoption.serve("T1")
    await store.append(THREAD, SAID)
    before = commits.count

    await store.adoption.dead(0)
    assert await store.adoption.unfinished("T1") == await store.adoption.behind("T1") == [THREAD]

    assert commits.count == before
    await store.close()


async def test_a_card_is_replaced_by_what_it_shows_now(store: Store) -> None:
    await store.append(THREAD, SAID)
    await store.delivery.show(THREAD, [FORM], 1)
    closed = replace(FORM, digest="def", is_open=False, ending='{"how": "skipped"}', remind_at=None, expire_at=None)

    await store.delivery.show(THREAD, [closed], 1)

    assert await store.delivery.cards(THREAD) == ([closed], 1)
    assert await store.delivery.open_cards("T1", 10) == []
    assert await store.delivery.ended_cards("T1", 10) == [(THREAD, closed)]


async def test_what_waits_is_listed_newest_first_and_by_team(store: Store) -> None:
    newer = replace(FORM, name="4/ask/000002000", at=150.0)
    for key, cards in ((THREAD, [FORM, newer]), (OTHER, [FORM])):
        await store.append(key, SAID)
        await store.delivery.show(key, cards, 1)

    assert await store.delivery.open_cards("T1", 10) == [(THREAD, newer), (THREAD, FORM)]
    assert await store.delivery.open_cards("T1", 1) == [(THREAD, newer)]


async def test_reminders_and_expiry_are_rows_with_a_due_time(store: Store) -> None:
    assert await store.delivery.next_due(0.0) is None
    await store.append(THREAD, SAID)
    await store.delivery.show(THREAD, [FORM, replace(FORM, name="9/ask/x", is_open=False, remind_at=1.0)], 1)

    assert await store.delivery.next_due(0.0) == 200.0
    assert await store.delivery.due(199.0) == []
    assert await store.delivery.due(200.0) == [(THREAD, FORM)]
    assert await store.delivery.next_due(200.0) == 300.0
    await store.delivery.show(THREAD, [replace(FORM, remind_at=None)], 1)
    assert await store.delivery.next_due(0.0) == 300.0


async def test_a_thread_that_nobody_spoke_in_shows_nothing(store: Store) -> None:
    assert await store.delivery.cards(THREAD) is None
