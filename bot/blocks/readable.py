"""The way back: what Slack sends for what people wrote, as plain words."""

import re

_TOKEN = re.compile(r"<([@#!][^<>|\n]+|[a-zA-Z][\w+.-]*:[^<>|\s]+)(?:\|([^<>\n]*))?>")


def words(text: str, bot_user_id: str) -> str:
    """Without the bot's mention; other mentions, links and entities as people see them."""
    mention = rf"<@{re.escape(bot_user_id)}(?:\|[^<>]*)?>"
    text = re.sub(rf"^(?:\s*{mention}[,:]?)+\s*", "", text)
    text = re.sub(rf"[ \t]*{mention}", "", text)
    return _decoded(_TOKEN.sub(_shown, text)).strip()


def mentions(text: str, bot_user_id: str) -> bool:
    return bool(re.search(rf"<@{re.escape(bot_user_id)}(?:\|[^<>]*)?>", text))


def _shown(token: re.Match[str]) -> str:
    target, label = token[1], token[2] or ""
    match target[:1]:
        case "@" | "#":
            return f"{target[0]}{label or target[1:]}"
        case "!":
            name = target[1:].partition("^")[0]
            return label or f"@{name}"
    if not label or label in target:
        return target.removeprefix("mailto:").removeprefix("tel:")
    return f"{label} ({target})"


def _decoded(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
