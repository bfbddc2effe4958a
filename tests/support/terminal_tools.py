"""Tools for trying the terminal: one that needs approval, one that fails."""

from agent.tools.registry import Toolbox, ToolError

toolbox = Toolbox()


@toolbox.tool(approval=True)
async def wipe(disk: str) -> str:
    """Erase a disk."""
    return f"{disk} is empty"


@toolbox.tool()
async def look(path: str) -> str:
    """Look at a file."""
    raise ToolError(f"{path} is not there")
