"""Makes text of others harmless to a terminal. Colours and cursors are for rich and prompt_toolkit alone."""

import re

# Control characters but newline and tab, halves of surrogate pairs, and marks that reorder what is read.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def clean(text: str) -> str:
    return _UNSAFE.sub("", text)


def one_line(text: str) -> str:
    return clean(" ".join(text.split()))


def visible(text: str) -> str:
    """For what is approved to the letter: nothing is dropped, but spelled out."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
