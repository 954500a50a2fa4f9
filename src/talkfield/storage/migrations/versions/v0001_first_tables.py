"""The first tables: projects, their records with a full text index, and the ledger of usage."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

TEXTS = "CREATE VIEW texts AS SELECT row, text FROM records WHERE text IS NOT NULL"

TEXT_INDEX = """
CREATE VIRTUAL TABLE record_text USING fts5(
    text, content='texts', content_rowid='row', tokenize="unicode61 remove_diacritics 2"
)
"""

# One trigger for an update, not two: SQLite runs triggers of one event in no promised order, and to take the old text
# out after the new one was put in would leave the row without its entry.
IN_STEP = (
    """
    CREATE TRIGGER record_text_insert AFTER INSERT ON records WHEN new.text IS NOT NULL BEGIN
        INSERT INTO record_text(rowid, text) VALUES (new.row, new.text);
    END
    """,
    """
    CREATE TRIGGER record_text_delete AFTER DELETE ON records WHEN old.text IS NOT NULL BEGIN
        INSERT INTO record_text(record_text, rowid, text) VALUES ('delete', old.row, old.text);
    END
    """,
    """
    CREATE TRIGGER record_text_update AFTER UPDATE OF text ON records WHEN old.text IS NOT new.text BEGIN
        INSERT INTO record_text(record_text, rowid, text)
            SELECT 'delete', old.row, old.text WHERE old.text IS NOT NULL;
        INSERT INTO record_text(rowid, text) SELECT new.row, new.text WHERE new.text IS NOT NULL;
    END
    """,
)


def upgrade() -> None:
    op.create_table(
        "projects",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("folder", sa.Text),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("opened_at", sa.BigInteger, nullable=False),
        sa.Column("file_digests", sa.Text, nullable=False),
    )
    op.create_table(
        "records",
        sa.Column("row", sa.Integer, primary_key=True),
        sa.Column("project", sa.Text, sa.ForeignKey("projects.id", ondelete="CASCADE"), nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("node", sa.Text),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("text", sa.Text),
        sa.UniqueConstraint("project", "id", name="records_project_id"),
    )
    op.create_table(
        "usage",
        sa.Column("project", sa.Text, primary_key=True),
        sa.Column("message", sa.Text, primary_key=True),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("provider", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("input_tokens", sa.BigInteger, nullable=False),
        sa.Column("output_tokens", sa.BigInteger, nullable=False),
        sa.Column("cache_read_tokens", sa.BigInteger, nullable=False),
        sa.Column("cache_write_tokens", sa.BigInteger, nullable=False),
        sa.Column("reasoning_tokens", sa.BigInteger, nullable=False),
        sa.Column("usd", sa.Text),
        sa.Column("estimated", sa.Boolean, nullable=False),
    )
    op.create_index("ix_usage_at", "usage", ["at"])
    op.execute(TEXTS)
    op.execute(TEXT_INDEX)
    for trigger in IN_STEP:
        op.execute(trigger)
