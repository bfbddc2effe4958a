"""Messages as Slack draws them: pure functions from what the journal says to Block Kit."""
