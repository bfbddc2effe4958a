"""A typed function is a tool in one line; what is wrong with a call is told to the model."""

import json
from functools import wraps
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, Field

from agent.core.transcript import ToolCall
from agent.tools.ask_user_question import ASK_USER_QUESTION
from agent.tools.confirm_action import CONFIRM_ACTION
from agent.tools.registry import Toolbox, ToolError, from_function
from agent.tools.spawn_agents import spawn_agents
from tests.support.world import THREAD


def call(name: str, arguments: dict[str, Any] | None = None) -> ToolCall:
    return ToolCall.numbered(1, 0, name, json.dumps(arguments or {}))


class Place(BaseModel):
    city: str


class Tree(BaseModel):
    branches: "list[Tree]"


def test_a_function_is_offered_with_its_name_docstring_and_types() -> None:
    def forecast(place: Place, days: Annotated[int, Field(description="How far", le=7)] = 1) -> str:
        """The weather to come."""
        return ""

    assert from_function(forecast).to_api() == {
        "type": "function",
        "function": {
            "name": "forecast",
            "description": "The weather to come.",
            "parameters": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "place": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
                    "days": {"type": "integer", "description": "How far", "maximum": 7, "default": 1},
                },
                "required": ["place"],
            },
        },
    }


async def test_arguments_reach_the_function_as_the_types_it_names() -> None:
    toolbox = Toolbox()

    @toolbox.tool()
    async def greet(place: Place, manner: Literal["kind", "rude"] = "kind") -> str:
        """Greet."""
        return f"{manner} {place.city}"

    assert await toolbox.run(THREAD, call("greet", {"place": {"city": "Oslo"}}), approved=False) == "kind Oslo"


async def test_parameters_may_have_names_that_pydantic_keeps_for_itself() -> None:
    toolbox = Toolbox()

    @toolbox.tool()
    def describe(schema: str, copy: bool, model_name: str) -> str:
        """Describe."""
        return f"{schema} {copy} {model_name}"

    arguments = {"schema": "public", "copy": True, "model_name": "m"}
    assert await toolbox.run(THREAD, call("describe", arguments), approved=False) == "public True m"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("words", "words"),
        ({"a": [1]}, '{"a":[1]}'),
        (None, "null"),
        ([Place(city="Oslo")], '[{"city":"Oslo"}]'),
        (Place(city="Oslo"), '{"city":"Oslo"}'),
    ],
)
async def test_a_result_is_text_or_becomes_json(value: Any, text: str) -> None:
    toolbox = Toolbox()

    @toolbox.tool()
    def give() -> Any:
        """Give."""
        return value

    assert await toolbox.run(THREAD, call("give"), approved=False) == text


async def test_an_async_function_behind_a_plain_decorator_is_awaited() -> None:
    async def look() -> str:
        """Look."""
        return "seen"

    @wraps(look)
    def traced() -> Any:
        return look()

    assert await Toolbox([from_function(traced)]).run(THREAD, call("look"), approved=False) == "seen"


async def test_a_validator_that_fails_is_a_problem_of_that_call_alone() -> None:
    def explode(_value: str) -> str:
        raise RuntimeError("the validator broke")

    toolbox = Toolbox()

    @toolbox.tool()
    def take(value: Annotated[str, AfterValidator(explode)]) -> str:
        """Take."""
        return value

    with pytest.raises(ToolError, match="could not be checked: RuntimeError: the validator broke"):
        await toolbox.run(THREAD, call("take", {"value": "x"}), approved=False)


async def test_a_tool_that_needs_approval_does_not_run_without_it_even_if_it_was_not_shown() -> None:
    toolbox = Toolbox()

    @toolbox.tool(approval=True)
    def drop() -> str:
        """Drop."""
        raise AssertionError("ran without approval")

    with pytest.raises(ToolError, match="not shown to people"):
        await toolbox.run(THREAD, call("drop"), approved=False)


def test_a_type_that_contains_itself_is_refused_when_the_tool_is_made() -> None:
    def grow(tree: Tree) -> str:
        """Grow."""
        return str(tree)

    with pytest.raises(TypeError, match="contains itself"):
        from_function(grow)


async def test_arguments_that_do_not_fit_are_told_one_sentence_each() -> None:
    toolbox = Toolbox()

    @toolbox.tool()
    def add(left: int, right: int) -> int:
        """Add."""
        return left + right

    with pytest.raises(ToolError) as told:
        await toolbox.run(THREAD, call("add", {"left": "one", "third": 3}), approved=False)

    assert str(told.value).splitlines() == [
        "left: Input should be a valid integer, unable to parse string as an integer",
        "right: Field required",
        "third: Extra inputs are not permitted",
    ]


def test_a_parameter_without_a_type_is_refused_when_the_tool_is_made() -> None:
    def vague(thing) -> str:  # type: ignore[no-untyped-def]
        """Vague."""
        return str(thing)

    def many(*things: str) -> str:
        """Many."""
        return str(things)

    with pytest.raises(TypeError, match="thing"):
        from_function(vague)
    with pytest.raises(TypeError, match="things"):
        from_function(many)


def test_two_tools_of_one_name_are_refused() -> None:
    toolbox = Toolbox([CONFIRM_ACTION])

    with pytest.raises(ValueError, match="two tools called confirm_action"):
        toolbox.add(CONFIRM_ACTION)


def test_what_people_must_do_first_is_known_before_a_call_runs() -> None:
    toolbox = Toolbox([ASK_USER_QUESTION, CONFIRM_ACTION])

    @toolbox.tool(approval=True)
    def drop(table: str) -> str:
        """Drop."""
        return table

    assert toolbox.wait_for(call("ask_user_question", {"questions": [{"question": "Why?"}]})) == "ask"
    assert toolbox.wait_for(call("confirm_action", {"action": "Go"})) == "confirm"
    assert toolbox.wait_for(call("drop", {"table": "t"})) == "approve"
    assert toolbox.wait_for(call("drop", {})) is None
    assert toolbox.wait_for(call("ask_user_question", {})) is None
    assert toolbox.wait_for(call("no_such_tool")) is None


def test_a_sub_agent_is_offered_only_what_needs_nobody() -> None:
    async def run(*_: Any) -> str:
        return ""

    toolbox = Toolbox([ASK_USER_QUESTION, CONFIRM_ACTION, spawn_agents(run, 1)])

    @toolbox.tool()
    def look() -> str:
        """Look."""
        return ""

    @toolbox.tool(approval=True)
    def drop() -> str:
        """Drop."""
        return ""

    assert [tool.name for tool in toolbox.for_sub_agents().tools] == ["look"]
