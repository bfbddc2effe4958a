"""The words for what the agent does with a tool: for people, whatever the model has called and with what."""

import pytest

from agent.core.transcript import ToolCall
from bot import doing


def called(name: str, arguments: str = "{}") -> ToolCall:
    return ToolCall.numbered(1, 0, name, arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ('{"tasks": ["a", "b", "c"]}', "has 3 sub-agents at work…"),
        ('{"tasks": ["a"]}', "has sub-agents at work…"),
        ('{"tasks": "abc"}', "has sub-agents at work…"),
        ('{"tasks": {"a": 1}}', "has sub-agents at work…"),
        ("{}", "has sub-agents at work…"),
        ("[1]", "has sub-agents at work…"),
        ("{", "has sub-agents at work…"),
        ("[" * 100_000, "has sub-agents at work…"),
    ],
)
def test_sub_agents_are_counted_where_that_can_be_done(arguments: str, words: str) -> None:
    assert doing.running(called("spawn_agents", arguments)) == words


def test_other_tools_are_called_by_their_names_and_sub_agents_are_said_to_run_them() -> None:
    assert doing.running(called("search")) == "is running search…"
    assert doing.running(called("search"), sub_agent=True) == "has a sub-agent running search…"


def test_a_name_is_one_short_line_whatever_is_in_it() -> None:
    words = doing.running(called("x\n<!channel>" + "y" * 1_000))

    assert len(words) < 60
    assert len(words.splitlines()) == 1
