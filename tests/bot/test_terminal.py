"""`parley chat` as people use it: the real command, on a pipe and on a pseudo-terminal, with a scripted model."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.scripted_model import Hold, ScriptedModel, ask
from tests.support.terminal_parley import (
    CTRL_C,
    CTRL_D,
    DOWN,
    ENTER,
    ESCAPE,
    SECONDS,
    SPACE,
    UP,
    Pipe,
    Tty,
    environment,
)

STAGING = {"label": "Staging", "description": "safe to break"}
WHERE = {"question": "Where to?", "header": "Target", "default": "Staging", "options": [STAGING, "Production"]}
WHICH = {"question": "Which checks?", "multiSelect": True, "options": ["Tests", "Lint", "Load"]}
NAME = {"question": "What name?"}

Start = Callable[..., Tty]


@pytest.fixture
async def model() -> AsyncIterator[ScriptedModel]:
    async with ScriptedModel() as model:
        yield model


@pytest.fixture
def pipe(model: ScriptedModel, tmp_path: Path) -> Pipe:
    return Pipe(environment(model.base_url, tmp_path), tmp_path)


@pytest.fixture
def chat(model: ScriptedModel, tmp_path: Path) -> Iterator[Start]:
    started: list[Tty] = []

    def start(*arguments: str) -> Tty:
        started.append(Tty(environment(model.base_url, tmp_path), tmp_path, *arguments))
        return started[-1]

    yield start
    for tty in started:
        tty.close()


def result(model: ScriptedModel) -> Any:
    """What the last tool call came to."""
    return json.loads(model.requests[-1]["messages"][-1]["content"])


async def test_on_a_pipe_each_line_is_a_message(model: ScriptedModel, pipe: Pipe) -> None:
    model.will_say("**Hello** yourself.")
    model.will_say("Bye.")

    printed = await pipe.feed("hello\n\nand bye")

    assert printed.splitlines()[1:] == ["> hello", "**Hello** yourself.", "> and bye", "Bye."]


@pytest.mark.parametrize(
    ("question", "line", "answer"),
    [
        (WHERE, "2", "Production"),
        (WHERE, "production", "Production"),
        (WHERE, "neither, wait", "neither, wait"),
        (WHICH, "1,3", "Tests, Load"),
        (WHICH, "lint", "Lint"),
        (NAME, "  Parley 1.0 ", "Parley 1.0"),
        ({**WHERE, "allowCustom": False}, "elsewhere\n1", "Staging"),
    ],
)
async def test_on_a_pipe_numbers_labels_and_free_text_answer(
    model: ScriptedModel, pipe: Pipe, question: dict[str, Any], line: str, answer: str
) -> None:
    model.will_ask([question])
    model.will_say("Fine.")

    printed = await pipe.feed(f"go\n{line}\n")

    assert result(model) == {"answers": {question["question"]: answer}}
    assert f"→ {answer}\nFine." in printed


async def test_on_a_pipe_a_question_is_shown_with_all_that_helps_to_answer_it(model: ScriptedModel, pipe: Pipe) -> None:
    model.will_ask([WHERE, NAME])

    printed = await pipe.feed("go\n")

    shown = "Target · question 1 of 2\nWhere to?\nSuggested: Staging\n  1. Staging — safe to break\n  2. Production\n"
    assert shown in printed


async def test_on_a_pipe_an_empty_line_skips(model: ScriptedModel, pipe: Pipe) -> None:
    model.will_ask([WHERE])
    model.will_say("Then staging.")

    await pipe.feed("go\n\n")

    assert list(result(model)) == ["skipped"]


async def test_what_was_answered_before_the_input_ended_is_not_asked_again(model: ScriptedModel, pipe: Pipe) -> None:
    model.will_ask([WHERE, WHICH], text="Two things.")
    left = await pipe.feed("ship it\n2\n")
    model.will_say("Fine.")

    resumed = await pipe.feed("1\n", "--resume")

    assert "parley chat --resume" in left
    assert resumed.startswith(
        "You said: ship it\nTwo things.\nWhere to? → Production\n\nquestion 2 of 2\nWhich checks?"
    )
    assert result(model) == {"answers": {"Where to?": "Production", "Which checks?": "Tests"}}


async def test_with_nothing_to_resume_it_says_so_and_asks_the_model_nothing(pipe: Pipe) -> None:
    printed = await pipe.feed("hello\n", "--resume", code=1)

    assert printed == "parley: no conversation waits for an answer. `parley chat` begins a new one.\n"


async def test_on_a_pipe_an_action_is_denied_with_a_reason(model: ScriptedModel, pipe: Pipe) -> None:
    model.will_call(("confirm_action", {"action": "Drop it", "details": "no \x1b[8mbackup"}))
    model.will_say("Then not.")

    printed = await pipe.feed("go\nwell\nno, too risky\n")

    assert "Drop it\nno \\u001b[8mbackup\n" in printed
    assert result(model) == {"approved": False, "reason": "too risky"}


async def test_nothing_that_others_wrote_can_steer_the_terminal(model: ScriptedModel, pipe: Pipe) -> None:
    evil = "x\x1b[2J\x1b]0;title\x07\x9by"
    model.will_call(("look", {"path": evil}), text=evil)
    model.will_ask([{"question": evil, "header": "h\x1b", "options": [{"label": evil, "description": evil}, "b"]}])
    model.will_say(evil)

    printed = await pipe.feed(f"{evil}\n1\n")

    assert [character for character in printed if not character.isprintable() and character != "\n"] == []


async def test_a_failure_is_shown_and_one_can_go_on(model: ScriptedModel, pipe: Pipe) -> None:
    model.will_fail(401)
    model.will_say("Here again.")

    printed = await pipe.feed("hello\nagain\n")

    assert "\n✗ " in printed
    assert printed.endswith("> again\nHere again.\n")


async def test_a_reader_that_goes_away_ends_it_quietly(model: ScriptedModel, pipe: Pipe) -> None:
    model.will_say("Nobody reads this.")
    process = await pipe.start()
    assert process.stdout
    assert process.stdin
    assert process.stderr
    await process.stdout.readline()
    process.stdout._transport.close()  # type: ignore[attr-defined]

    process.stdin.write(b"hello\n")  # and no end of input

    async with asyncio.timeout(SECONDS):
        assert await process.stderr.read() == b""
        assert await process.wait() == 0


async def test_without_a_tty_an_interrupt_stops_the_run_and_another_leaves(model: ScriptedModel, pipe: Pipe) -> None:
    model.will_hang()
    process = await pipe.start()
    assert process.stdout
    assert process.stdin
    process.stdin.write(b"go\n")
    async with asyncio.timeout(SECONDS):
        await model.reached.wait()

        process.send_signal(signal.SIGINT)
        await model.hung_up.wait()
        await process.stdout.readuntil(b"Stopped.\n")
        process.send_signal(signal.SIGINT)

        assert await process.wait() == 0


async def test_arrows_and_enter_pick_one(model: ScriptedModel, chat: Start) -> None:
    model.will_ask([WHERE], text="One thing:")
    model.will_say("Shipped.")
    tty = chat()
    await tty.say("ship it")

    await tty.shows("One thing:", "Target", "Where to?", "Suggested: Staging", "Pick one", "Staging", "safe to break")
    await tty.press(DOWN, ENTER)

    await tty.shows("→ Production", "Shipped.")
    assert result(model) == {"answers": {"Where to?": "Production"}}


async def test_space_picks_several_and_none_is_not_an_answer(model: ScriptedModel, chat: Start) -> None:
    model.will_ask([WHICH])
    model.will_say("Run.")
    tty = chat()
    await tty.say("check")

    await tty.shows("Pick any")
    await tty.press(ENTER)
    await tty.shows("Pick at least one")
    await tty.press(SPACE, DOWN, DOWN, SPACE, ENTER)

    await tty.shows("→ Tests, Load", "Run.")
    assert result(model) == {"answers": {"Which checks?": "Tests, Load"}}


@pytest.mark.parametrize(
    ("question", "keys", "answer"),
    [(WHERE, (DOWN, DOWN, ENTER), "my laptop"), (WHICH, (SPACE, UP, SPACE, ENTER), "Tests, my laptop")],
)
async def test_other_opens_a_text_prompt(
    model: ScriptedModel, chat: Start, question: dict[str, Any], keys: tuple[str, ...], answer: str
) -> None:
    model.will_ask([question])
    model.will_say("Fine.")
    tty = chat()
    await tty.say("go")

    await tty.shows("Other…")
    await tty.press(*keys)
    await tty.shows("in your own words")
    await tty.press("my laptop", ENTER)

    await tty.shows(f"→ {answer}", "Fine.")
    assert result(model) == {"answers": {question["question"]: answer}}


async def test_escape_goes_back_from_other_and_then_skips(model: ScriptedModel, chat: Start) -> None:
    model.will_ask([WHERE])
    model.will_say("Then staging.")
    tty = chat()
    await tty.say("go")

    await tty.shows("Other…")
    await tty.press(UP, ENTER)
    await tty.shows("Esc goes back")
    await tty.press(ESCAPE)
    await tty.shows("Other…")
    await tty.press(ESCAPE)

    await tty.shows("→ skipped", "Then staging.")
    assert list(result(model)) == ["skipped"]


async def test_a_question_without_options_is_answered_in_a_text_prompt(model: ScriptedModel, chat: Start) -> None:
    model.will_ask([NAME])
    model.will_say("Nice.")
    tty = chat()
    await tty.say("go")

    await tty.shows("What name?", "in your own words")
    await tty.press("Parley", ENTER)

    await tty.shows("→ Parley", "Nice.")
    assert result(model) == {"answers": {"What name?": "Parley"}}


async def test_a_reply_is_seen_while_it_is_written(model: ScriptedModel, chat: Start) -> None:
    rest = asyncio.Event()
    model.will_pause("The **first** half", rest, " and the second.")
    tty = chat()
    await tty.say("tell me")

    await tty.shows("first", "half", "thinking…")
    rest.set()

    await tty.shows("and the second.")


async def test_a_reply_that_breaks_off_begins_again(model: ScriptedModel, chat: Start) -> None:
    model.will_break_after("Half of")
    model.will_say("The whole reply.")
    tty = chat()
    await tty.say("tell me")

    await tty.shows("begins again", "The whole reply.")


async def test_ctrl_c_stops_the_run_and_again_leaves(model: ScriptedModel, chat: Start) -> None:
    model.will_hang()
    tty = chat()
    await tty.say("go")
    await tty.shows("thinking…")
    await asyncio.wait_for(model.reached.wait(), SECONDS)

    await tty.press(CTRL_C)
    await asyncio.wait_for(model.hung_up.wait(), SECONDS)
    await tty.shows("Stopped.", "> ")
    await tty.press(CTRL_C)

    assert "--resume" not in await tty.ends()


async def test_ctrl_c_at_a_question_stops_the_run(model: ScriptedModel, chat: Start) -> None:
    model.will_ask([WHERE])
    model.will_say("Hello.")
    tty = chat()
    await tty.say("go")

    await tty.shows("Pick one")
    await tty.press(CTRL_C)
    await tty.shows("Stopped.")
    await tty.say("something else")

    await tty.shows("Hello.")


async def test_ctrl_d_leaves_a_question_open(model: ScriptedModel, chat: Start) -> None:
    model.will_ask([WHERE])
    tty = chat()
    await tty.say("go")

    await tty.shows("Pick one")
    await tty.press(CTRL_D)

    assert "parley chat --resume" in await tty.ends()


async def test_after_a_kill_the_open_questions_are_asked_again_and_no_others(model: ScriptedModel, chat: Start) -> None:
    model.will_ask([WHERE, WHICH])
    tty = chat()
    await tty.say("ship it")
    await tty.shows("Where to?", "Pick one")
    await tty.press(ENTER)
    await tty.shows("Which checks?", "Pick any")

    tty.kill()
    model.will_say("Shipped.")
    tty = chat("--resume")
    await tty.shows("You said: ship it", "Where to? → Staging", "Which checks?", "Pick any")
    await tty.press(SPACE, ENTER)

    await tty.shows("→ Tests", "Shipped.")
    assert result(model) == {"answers": {"Where to?": "Staging", "Which checks?": "Tests"}}


async def test_a_run_that_was_killed_goes_on_when_resumed(model: ScriptedModel, chat: Start) -> None:
    model.will_hang()
    tty = chat()
    await tty.say("ship it")
    await asyncio.wait_for(model.reached.wait(), SECONDS)

    tty.kill()
    model.will_say("Shipped.")
    tty = chat("--resume")

    await tty.shows("You said: ship it", "Shipped.", "> ")


async def test_a_tool_runs_once_it_is_approved(model: ScriptedModel, chat: Start) -> None:
    model.will_call(("wipe", {"disk": "/dev/sda"}))
    model.will_say("Wiped.")
    tty = chat()
    await tty.say("wipe it")

    await tty.shows("Needs your approval", "wipe", '"disk": "/dev/sda"', "Decide")
    await tty.press(UP, ENTER)

    await tty.shows("→ approved", "✓", "wipe", "Wiped.")
    assert model.requests[-1]["messages"][-1]["content"] == "/dev/sda is empty"


async def test_an_action_is_denied_unless_one_moves_to_approve(model: ScriptedModel, chat: Start) -> None:
    model.will_call(("confirm_action", {"action": "Drop it"}))
    model.will_say("Then not.")
    tty = chat()
    await tty.say("go")

    await tty.shows("Drop it", "Decide")
    await tty.press(ENTER)
    await tty.shows("why not?")
    await tty.press("no backup", ENTER)

    await tty.shows("→ denied: no backup", "Then not.")
    assert result(model) == {"approved": False, "reason": "no backup"}


async def test_the_tools_of_sub_agents_are_shown_but_not_what_they_say(model: ScriptedModel, chat: Start) -> None:
    model.will_call(("spawn_agents", {"tasks": ["look around"]}))
    model.will_call(("look", {"path": "/x"}))
    model.will_say("Secret words.")
    model.will_say("All done.")
    tty = chat()
    await tty.say("go")

    await tty.shows("✗", "agent 1: look", "✓", "agent 1", "✓", "spawn_agents", "All done.", "> ")
    await tty.press(CTRL_D)

    assert "Secret words." not in await tty.ends()


async def test_a_key_pressed_before_a_question_came_up_does_not_answer_it(model: ScriptedModel, chat: Start) -> None:
    goes_on = asyncio.Event()
    asked = ask([WHERE])
    model.will(replace(asked, frames=(asked.frames[0], Hold(goes_on), *asked.frames[1:])))
    model.will_say("Shipped.")
    tty = chat()
    await tty.say("ship it")
    await asyncio.wait_for(model.reached.wait(), SECONDS)

    await tty.press(ENTER)
    goes_on.set()
    await tty.shows("Pick one")
    await tty.press(DOWN, ENTER)

    await tty.shows("→ Production", "Shipped.")
