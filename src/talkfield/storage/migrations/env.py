"""Run by Alembic for each command: use the connection and the transaction it was called with."""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
