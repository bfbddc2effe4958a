"""What the doctor looks at in the database: whether it is there, how its tables stand, who is on it, and its room."""

from agent.core.errors import StoreError
from agent.store.journal import Store
from agent.store.survey import Server, Survey, survey
from bot.findings import Finding

CORRECT = "Correct DATABASE_URL in .env, or what it names."
USE_NEWER = "Start the Parley that wrote it, or restore a backup from before: tables are never taken back."
MORE_ROOM = "Raise max_connections in PostgreSQL's settings, or close what else uses it."
SAFE_COMMIT = "Set synchronous_commit back to on, at least for Parley's role: see OPERATIONS.md."


async def findings(url: str, beside: int = 0) -> list[Finding]:
    """With so many connections that Parley needs beside the store's."""
    try:
        found = await survey(url)
        return [await _tables(url, found), *_server(found.server, found.needs + beside, found.users > 0)]
    except StoreError as error:
        return [Finding("database", "wrong", str(error), CORRECT)]


async def _tables(url: str, found: Survey) -> Finding:
    if found.standing == "newer":
        said = f"is of version {found.version}, and this Parley knows {found.newest} at most."
        return Finding("database", "wrong", said, USE_NEWER)
    if found.standing == "older":
        said = f"is of version {found.version}: it will be migrated to {found.newest} at the next start."
        return Finding("database", "note", said, "Make a backup before: OPERATIONS.md says how.")
    if found.users:
        who = "another Parley" if found.users == 1 else f"{found.users} replicas of Parley"
        said = f"is in use by {who}, as it is while one runs ({found.kind}, version {found.version})."
        return Finding("database", "note", said)
    store = await Store.open(url)  # as at the start, and so made if need be
    await store.close()
    return Finding("database", "fine", f"opens: {found.kind}, and its tables are up to date (version {found.newest}).")


def _server(server: Server | None, needed: int, in_use: bool) -> list[Finding]:
    if server is None:
        return []
    if server.synchronous_commit == "off":
        said = f"PostgreSQL {server.version} has synchronous_commit off: what was acked to Slack could be lost."
        return [Finding("database server", "wrong", said, SAFE_COMMIT)]
    said = (
        f"PostgreSQL {server.version} has {server.free} of {server.allowed} connections free; a Parley uses {needed}."
    )
    if server.free < needed and not in_use:
        return [Finding("database server", "wrong", said, MORE_ROOM)]
    return [Finding("database server", "fine", said)]
