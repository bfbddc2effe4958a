"""What is kept for a while is neither given nor held for longer."""

from bot.kept import Kept


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_it_is_known_until_its_time_is_over() -> None:
    clock = Clock()
    kept = Kept[str, int](300, clock)
    kept.put("a", 1)

    clock.now = 299
    assert kept.get("a") == 1
    clock.now = 300
    assert kept.get("a") is None


async def test_what_is_too_old_goes_when_something_new_comes() -> None:
    clock = Clock()
    kept = Kept[str, int](300, clock)
    for clock.now, key in enumerate(("a", "b", "c", "a")):
        kept.put(key, int(clock.now))

    clock.now = 302
    kept.put("d", 4)

    assert len(kept) == 2
    assert (kept.get("a"), kept.get("d")) == (3, 4)


async def test_however_many_come_only_those_of_the_last_while_are_held() -> None:
    clock = Clock()
    kept = Kept[int, None](300, clock)

    for second in range(10_000):
        clock.now = second
        kept.put(second, None)

    assert len(kept) == 300
