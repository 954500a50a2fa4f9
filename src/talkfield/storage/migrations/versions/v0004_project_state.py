"""Whether a project is in use, archived or in the bin."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("projects", sa.Column("state", sa.Text, nullable=False, server_default="active"))
