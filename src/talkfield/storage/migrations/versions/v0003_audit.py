"""The audit log: which tool calls ran, by whose word, and how they ended (T8)."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("row", sa.Integer, primary_key=True),
        sa.Column("project", sa.Text, nullable=False),
        sa.Column("call", sa.Text, nullable=False),
        sa.Column("node", sa.Text, nullable=False),
        sa.Column("turn", sa.Text),
        sa.Column("tool", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("arguments", sa.Text, nullable=False),
        sa.Column("decision", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("duration_ms", sa.BigInteger),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.UniqueConstraint("project", "call", name="audit_project_call"),
    )
