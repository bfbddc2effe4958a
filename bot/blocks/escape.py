"""Makes text of others harmless: nothing in it pings anyone, hides anything, or reorders what stands beside it."""

import re
import unicodedata

_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_CLOSED_BY = {**dict.fromkeys("\u202a\u202b\u202d\u202e", "\u202c"), **dict.fromkeys("\u2066\u2067\u2068", "\u2069")}
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
_QUOTE = re.compile(r"[ \t]*(?:>[ \t]*)+")
_INVISIBLE = {"Cc", "Cf", "Cs", "Zs", "Zl", "Zp"}
_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"


def mrkdwn(text: str) -> str:
    """For mrkdwn objects and the `text` of a message."""
    return clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def markdown(text: str) -> str:
    """For markdown blocks and streams: mentions are live there too, but `&` is not decoded in a link's target."""
    return "\n".join(_markdown_line(line) for line in clean(text).split("\n"))


def plain(text: str) -> str:
    """One line for a plain_text object, which shows everything else as it is."""
    return clean(text).replace("\n", " ").replace("\t", " ")


def inline(text: str) -> str:
    """One line to stand among words of ours; right-to-left text is isolated, or it would pull them around."""
    line = plain(text)
    if line.isascii() or not any(unicodedata.bidirectional(c) in {"R", "AL"} or _BIDI.match(c) for c in line):
        return line
    return f"{_FIRST_STRONG_ISOLATE}{line}{_POP_ISOLATE}"


def visible(text: str) -> str:
    """For what is approved to the letter: nothing is dropped, but what cannot be seen is spelled out."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def clean(text: str) -> str:
    """Text without what no screen shows, its line breaks all alike; reordering ends with its line."""
    text = _CONTROLS.sub("", _SURROGATES.sub("\ufffd", _BREAKS.sub("\n", text)))
    return "\n".join(balanced(line) for line in text.split("\n")) if _BIDI.search(text) else text


def balanced(line: str) -> str:
    """The line, without its marks of reordering unless each that is opened is closed."""
    waiting: list[str] = []
    for mark in _BIDI.findall(line):
        if mark in _CLOSED_BY:
            waiting.append(_CLOSED_BY[mark])
        elif not waiting or waiting.pop() != mark:
            return _BIDI.sub("", line)
    return _BIDI.sub("", line) if waiting else line


def is_blank(text: str) -> bool:
    """Whether there is nothing to see in it; Slack refuses empty text."""
    return all(unicodedata.category(character) in _INVISIBLE for character in text)


def _markdown_line(line: str) -> str:
    quote = found[0] if (found := _QUOTE.match(line)) else ""
    return quote + line[len(quote) :].replace("<", "&lt;").replace(">", "&gt;")
