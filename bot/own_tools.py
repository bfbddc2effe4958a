"""The tools that whoever runs Parley has given it."""

import importlib

from agent.tools.registry import Tool, Toolbox
from bot.settings import BadSettings


def own_tools(path: str) -> tuple[Tool, ...]:
    """The tools of the toolbox at `module:attribute`."""
    if not path:
        return ()
    module, _, attribute = path.partition(":")
    try:
        toolbox = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise BadSettings(f"PARLEY_TOOLS ({path}) cannot be loaded: {error}.") from error
    if not isinstance(toolbox, Toolbox):
        raise BadSettings(f"PARLEY_TOOLS ({path}) is not a Toolbox.")
    return toolbox.tools
