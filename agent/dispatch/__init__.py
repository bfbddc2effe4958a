"""Who runs a turn: a task in this process."""
