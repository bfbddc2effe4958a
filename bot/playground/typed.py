"""From text as people type it to text as Slack sends it: entities, mentions, channels and links."""

import re

from bot.playground.workspace import User, Workspace

CODE = re.compile(r"(```.*?```|`[^`\n]+`)", re.DOTALL)
LINK = re.compile(r"https?://[^\s<>|]*[^\s<>|.,;:!?'\")\]]", re.IGNORECASE)
EVERYBODY = ("here", "channel", "everyone")
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def clean(text: str) -> str:
    """Without what no keyboard types: halves of characters, and control characters."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return UNPRINTABLE.sub("", whole.replace("\r\n", "\n"))


def encoded(text: str, workspace: Workspace, writer: User) -> str:
    """As Slack's client sends it; what stands in code stays as it is."""
    names = _names(workspace, writer)
    found = re.compile("|".join([LINK.pattern, *_patterns(names)]), re.IGNORECASE)
    pieces = CODE.split(text)  # code is every second piece
    return "".join(_escaped(p) if n % 2 else _marked(p, found, names) for n, p in enumerate(pieces))


def _names(workspace: Workspace, writer: User) -> dict[str, str]:
    """Everything that can be named, as it is typed, and what is sent instead."""
    names = {f"@{name}": f"<!{name}>" for name in EVERYBODY}
    for user in workspace.users.values():
        names |= {f"@{name.casefold()}": f"<@{user.id}>" for name in (user.real_name, user.name)}
    for channel in workspace.channels.values():
        if channel.name and (writer.id in channel.members or channel.kind == "channel"):
            names[f"#{channel.name.casefold()}"] = f"<#{channel.id}>"
    return names


def _patterns(names: dict[str, str]) -> list[str]:
    longest_first = sorted(names, key=len, reverse=True)
    return [rf"(?<![\w@#]){re.escape(name)}(?![\w-])" for name in longest_first]


def _marked(text: str, found: re.Pattern[str], names: dict[str, str]) -> str:
    pieces, end = [], 0
    for match in found.finditer(text):
        pieces.append(_escaped(text[end : match.start()]))
        pieces.append(names.get(match[0].casefold()) or f"<{_escaped(match[0])}>")
        end = match.end()
    return "".join([*pieces, _escaped(text[end:])])


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
