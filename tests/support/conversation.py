"""What the chat completions API would refuse in a conversation, as a pure function."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

ROLES = ("system", "developer", "user", "assistant", "tool")
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
PERSON_NAME = re.compile(r"[^\s<|\\/>]{1,64}")


def faults(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """One sentence for each fault; none for a conversation the API takes."""
    found = [] if messages else ["messages: none given"]
    owed: list[str] = []
    for number, message in enumerate(messages):
        where = f"messages[{number}]"
        if message.get("role") == "tool":
            found += _result_faults(where, message, owed)
        elif owed:
            found.append(f"{where}: tool calls without a result before it: {', '.join(owed)}")
            owed = []
        found += _message_faults(where, message)
        if message.get("role") == "assistant":
            owed = [str(call.get("id")) for call in message.get("tool_calls") or ()]
    if owed:
        found.append(f"messages: tool calls without a result at the end: {', '.join(owed)}")
    return found


def _result_faults(where: str, message: Mapping[str, Any], owed: list[str]) -> list[str]:
    """Takes the result's call off what is owed."""
    call_id = message.get("tool_call_id")
    if call_id not in owed:
        return [f"{where}: a tool result without a call that waits for it: {call_id}"]
    in_turn = call_id == owed[0]
    owed.remove(call_id)
    return [] if in_turn else [f"{where}: a tool result out of order: {call_id}"]


def _message_faults(where: str, message: Mapping[str, Any]) -> list[str]:
    role = message.get("role")
    if role not in ROLES:
        return [f"{where}: unknown role {role!r}"]
    found = []
    if role == "assistant" and "tool_calls" in message:
        found += _call_faults(where, message["tool_calls"])
        if not isinstance(message.get("content"), str | None):
            found.append(f"{where}: content is neither text nor null")
    elif not (isinstance(message.get("content"), str) or (role == "user" and _are_parts(message.get("content")))):
        found.append(f"{where}: content is not text")
    if "name" in message and not PERSON_NAME.fullmatch(str(message["name"])):
        found.append(f"{where}: the name {message['name']!r} is not allowed")
    return found


def _are_parts(content: Any) -> bool:
    """Text and images, as people may send them."""
    return isinstance(content, list) and all(
        (part.get("type") == "text" and isinstance(part.get("text"), str))
        or (part.get("type") == "image_url" and str(part["image_url"]["url"]).startswith("data:image/"))
        for part in content
    )


def _call_faults(where: str, calls: Any) -> list[str]:
    if not isinstance(calls, list) or not calls:
        return [f"{where}: tool_calls is not a list of calls"]
    found = []
    ids = [call.get("id") for call in calls]
    if len(set(ids)) < len(ids) or not all(isinstance(each, str) and each for each in ids):
        found.append(f"{where}: call ids are missing or repeated: {ids}")
    for number, call in enumerate(calls):
        function = call.get("function") or {}
        if call.get("type") != "function":
            found.append(f"{where}.tool_calls[{number}]: the type is not function")
        if not TOOL_NAME.fullmatch(str(function.get("name"))):
            found.append(f"{where}.tool_calls[{number}]: the name {function.get('name')!r} is not allowed")
        if not _is_json(function.get("arguments")):
            found.append(f"{where}.tool_calls[{number}]: the arguments are not JSON")
    return found


def _is_json(text: Any) -> bool:
    try:
        json.loads(text)
    except (TypeError, ValueError):
        return False
    return True
