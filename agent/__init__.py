"""The agent: it works in a thread, asks when it needs a decision, and waits on disk. It knows no Slack."""
