"""Which addresses are on this machine: no proxy reaches them, and no web page from elsewhere has their name."""

from urllib.parse import urlsplit

_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})


def is_here(url: str) -> bool:
    try:
        return urlsplit(url).hostname in _NAMES
    except ValueError:
        return False
