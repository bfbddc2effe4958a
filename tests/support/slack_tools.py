"""Tools for trying approvals in Slack: one that needs approval, one that does not."""

from agent.tools.registry import Toolbox

toolbox = Toolbox()


@toolbox.tool(approval=True)
async def wipe(disk: str, note: str = "") -> str:
    """Erase a disk."""
    return f"{disk} is empty"


@toolbox.tool()
async def look(disk: str) -> str:
    """Look at a disk."""
    return f"{disk} is full"
