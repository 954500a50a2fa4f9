"""The shelf: what was paid for and taken out of a project (W14)."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "shelf",
        sa.Column("project", sa.Text, sa.ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("node", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("taken_at", sa.BigInteger, nullable=False),
        sa.Column("messages", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
