"""Where people meet the agent."""
