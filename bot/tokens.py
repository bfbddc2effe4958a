"""Where the tokens of workspaces come from: a store of installations, or the settings, which have one."""

from collections.abc import Sequence
from typing import Protocol

from bot.workspace import Installed


class Tokens(Protocol):
    """Where the tokens come from. `only` is the one team there can be, if that is so."""

    only: str

    async def find(self, team: str) -> Installed | None: ...

    async def teams(self) -> Sequence[str]: ...

    async def forget(self, me: Installed) -> None:
        """It is no longer good; whatever replaced it meanwhile stays."""


class OneToken:
    """The workspace of the settings."""

    def __init__(self, me: Installed) -> None:
        self.only = me.team_id
        self._me: Installed | None = me

    async def find(self, team: str) -> Installed | None:
        return self._me if team == self.only else None

    async def teams(self) -> Sequence[str]:
        return [self.only] if self._me else []

    async def forget(self, me: Installed) -> None:
        self._me = None
