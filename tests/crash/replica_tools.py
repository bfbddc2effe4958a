"""A tool that may not run twice: it writes down that it took effect."""

import asyncio
import os

from agent.tools.registry import Toolbox

toolbox = Toolbox()


@toolbox.tool()
async def ship(what: str) -> str:
    """Ship something, once."""
    with open(os.environ["EFFECTS"], "a") as effects:  # noqa: ASYNC230 (one short line)
        effects.write(f"{what}\n")
    await asyncio.sleep(0.1)
    return f"{what} is on its way"
