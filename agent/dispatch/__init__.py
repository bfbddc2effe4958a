"""Who runs a turn: a task in the process that the thread belongs to, alone on its database or one of many."""
