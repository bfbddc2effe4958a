"""Alembic's entry: it runs on the connection that the store hands it, in the store's transaction."""

from alembic import context

from agent.store.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
