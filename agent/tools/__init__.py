"""What the agent can do: a typed Python function is a tool, and a few tools are its own."""
