"""A Slack of our own: the Web API, Socket Mode and the people, in memory, as strict as Slack."""
