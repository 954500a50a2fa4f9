"""How a database of any earlier version becomes one of this version. Alembic runs it; nothing else makes tables."""

from __future__ import annotations

from sqlalchemy import Connection


def migrate(connection: Connection) -> None:
    """Bring the database up to date inside the connection's transaction: all steps or none.

    Imports Alembic, which takes longer than opening a database: call it only when the version differs.
    """
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "talkfield.storage:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
