"""The toolbox: makes a typed Python function into a tool in one line, and runs calls by name."""

import asyncio
import inspect
import json
import threading
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic_core import to_json

from agent.core.errors import AgentError
from agent.core.events import Wait
from agent.core.schema import json_schema
from agent.core.transcript import ToolCall
from agent.ports import ThreadKey

F = TypeVar("F", bound=Callable[..., Any])

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
MALFORMED = "malformed"  # the key under which arguments that were no JSON object are kept


NEEDS_APPROVAL = "This needs someone's approval, and only the parent conversation can ask for it."


class ToolError(AgentError):
    """A failure that the model is told in these words."""


@dataclass(frozen=True)
class Invocation:
    """One call, and the thread it is made in."""

    thread: ThreadKey
    call: ToolCall
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Tool:
    """`repeatable` if running it again after a crash does no harm; `wait` says what people must do first."""

    name: str
    description: str
    parameters: dict[str, Any]
    run: Callable[[Invocation], Awaitable[str]]
    check: Callable[[dict[str, Any]], object]
    wait: Wait | None = None
    repeatable: bool = False
    parent_only: str = ""  # why a sub-agent cannot use it, in words for the model

    def __post_init__(self) -> None:
        if self.wait and not self.parent_only:
            object.__setattr__(self, "parent_only", NEEDS_APPROVAL)

    def to_api(self) -> dict[str, Any]:
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": function}

    def refuses(self, arguments: dict[str, Any]) -> str | None:
        """What is wrong with the arguments, in words for the model."""
        if MALFORMED in arguments and MALFORMED not in self.parameters.get("properties", {}):
            return "The arguments were not a JSON object. Call again with valid JSON."
        try:
            self.check(arguments)
        except ValidationError as error:
            return "\n".join(_sentence(detail) for detail in error.errors(include_url=False))
        except AgentError as error:
            return str(error)
        except Exception as error:  # noqa: BLE001 (a validator is anyone's code)
            return f"The arguments could not be checked: {type(error).__name__}: {error}"
        return None


class Toolbox:
    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._refusals: dict[str, str] = {}

    def add(self, tool: Tool) -> None:
        if tool.name in self._tools:
            raise ValueError(f"there are two tools called {tool.name}")
        self._tools[tool.name] = tool

    def tool(self, *, approval: bool = False, repeatable: bool = False) -> Callable[[F], F]:
        """Offer a function: `@toolbox.tool()`. With `approval` it runs only once someone approved the call."""

        def offer(function: F) -> F:
            self.add(from_function(function, approval=approval, repeatable=repeatable))
            return function

        return offer

    @property
    def tools(self) -> tuple[Tool, ...]:
        return tuple(self._tools.values())

    def to_api(self) -> list[dict[str, Any]]:
        return [tool.to_api() for tool in self._tools.values()]

    def wait_for(self, call: ToolCall) -> Wait | None:
        """What people must do before this call has a result; nothing, if it is wrong anyway."""
        tool = self._tools.get(call.name)
        if tool is None or tool.wait is None or tool.refuses(json.loads(call.arguments)):
            return None
        return tool.wait

    def repeatable(self, call: ToolCall) -> bool:
        tool = self._tools.get(call.name)
        return tool is None or tool.repeatable

    def known_name(self, call: ToolCall) -> str:
        """Of a tool that there is: models make names up."""
        return call.name if call.name in self._tools else "unknown"

    async def run(self, thread: ThreadKey, call: ToolCall, *, approved: bool) -> str:
        """The call's result; raises ToolError with what to tell the model."""
        tool = self._tools.get(call.name)
        if tool is None:
            unknown = f"There is no tool called {call.name!r}. There are: {', '.join(self._tools)}."
            raise ToolError(self._refusals.get(call.name, unknown))
        arguments = json.loads(call.arguments)
        if problems := tool.refuses(arguments):
            raise ToolError(problems)
        if tool.wait and not approved:  # its arguments were wrong when people would have been asked
            raise ToolError("This was not shown to people, so it did not run. Call it again.")
        return await tool.run(Invocation(thread, call, arguments))

    def for_sub_agents(self) -> "Toolbox":
        """Only the tools that need nobody; the others are not offered, and say why when called all the same."""
        tools = self._tools.values()
        alone = Toolbox(tool for tool in tools if not tool.parent_only)
        alone._refusals = {tool.name: tool.parent_only for tool in tools if tool.parent_only}
        return alone


def from_function(function: Callable[..., Any], *, approval: bool = False, repeatable: bool = False) -> Tool:
    """Its name, docstring and annotations are what the model reads."""
    model = _arguments_model(function)

    async def run(invocation: Invocation) -> str:
        given = model.model_validate(invocation.arguments)
        values = {str(field.alias): getattr(given, name) for name, field in model.model_fields.items()}
        if inspect.iscoroutinefunction(function):
            return _as_text(await function(**values))
        result = await _in_thread(partial(function, **values))
        return _as_text(await result if inspect.isawaitable(result) else result)

    return Tool(
        name=function.__name__,
        description=inspect.getdoc(function) or "",
        parameters=json_schema(model),
        run=run,
        check=model.model_validate,
        wait="approve" if approval else None,
        repeatable=repeatable,
    )


async def people_decide(invocation: Invocation) -> str:
    """For tools whose result is what people say: a call waits for them and is never run."""
    raise AssertionError(f"{invocation.call.name} was run instead of being shown to people")


def _arguments_model(function: Callable[..., Any]) -> type[BaseModel]:
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in hints or parameter.kind not in _NAMED:
            raise TypeError(f"{function.__name__}: the model cannot fill in the parameter {name}: name and type it")
        default = ... if parameter.default is parameter.empty else parameter.default
        # Under an alias, since pydantic keeps names such as `schema` or `copy` for itself.
        fields[f"argument_{name}"] = (hints[name], Field(default, alias=name))
    return create_model(function.__name__, __config__=ConfigDict(extra="forbid"), **fields)


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else to_json(value, fallback=str).decode()


async def _in_thread(work: Callable[[], Any]) -> Any:
    """On a thread of its own that holds up nothing: one that hangs must not keep others, or the exit, waiting."""
    future: Future[Any] = Future()

    def run() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 (handed to whoever waits)
            future.set_exception(error)

    threading.Thread(target=run, name="tool", daemon=True).start()
    return await asyncio.wrap_future(future)


def _sentence(detail: Any) -> str:
    return f"{'.'.join(map(str, detail['loc'])) or 'arguments'}: {detail['msg']}"
