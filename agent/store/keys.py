"""How a thread's key stands in its row: its columns, the condition that finds it, and the way back."""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from agent.ports import ThreadKey
from agent.store.schema import threads

KEY = tuple(threads.c[name] for name in ThreadKey.model_fields)
OF_KEY = sa.and_(*(column == sa.bindparam(column.name) for column in KEY))


def key_of(values: Iterable[Any]) -> ThreadKey:
    """The key that these columns hold, in the order of `KEY`."""
    return ThreadKey(**dict(zip(ThreadKey.model_fields, values, strict=True)))
