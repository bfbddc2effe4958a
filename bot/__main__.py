"""`python -m bot` is `parley`."""

from bot.cli import main

main()
