"""`parley chat`: the agent in a terminal."""
