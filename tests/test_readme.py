"""What the README says is true: its code runs, its commands and paths exist."""

import re
from pathlib import Path

from agent.tools.registry import Toolbox

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_the_code_runs_and_makes_the_tools_it_describes() -> None:
    [code] = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names: dict[str, object] = {}

    exec(code, names)

    toolbox = names["toolbox"]
    assert isinstance(toolbox, Toolbox)
    assert {tool.name: (tool.wait, tool.repeatable) for tool in toolbox.tools} == {
        "open_tickets": (None, True),
        "close_ticket": ("approve", False),
    }


def test_every_make_command_it_names_is_in_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text()

    for command in set(re.findall(r"^make ([a-z]+)", README, flags=re.MULTILINE)):
        assert f"\n{command}:" in makefile, command


def test_every_path_it_names_is_there() -> None:
    for path in set(re.findall(r"`((?:agent|bot|tests|\.ci)/[\w./]*)`", README)):
        assert (ROOT / path).exists(), path
