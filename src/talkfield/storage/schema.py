"""The database's tables as queries see them. `migrations/` makes them; a test compares the two.

`records` holds the document records of every project: `body` is a record's JSON (`codec`), `text` what a search finds
it by, kept out of the body so that it is stored once. `record_text` is SQLite's full text index over `text`; triggers
keep it in step, inside the transaction that changes a record (ST8). `usage` is the ledger of provider calls: it has no
foreign keys, since money stays spent when a message or a project goes. `shelf` holds what was taken out of a project
(W14): `body` is an item's JSON, `text` what a search finds it by, the rest what a list shows. `audit` says which tool
calls ran (T8); like the ledger it outlives what it is about.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Integer, MetaData, Table, Text, UniqueConstraint

REVISIONS = ("0001", "0002", "0003", "0004")
"""Every revision there is, oldest first. The last is the one this version works with; opening compares it with the
database's and needs no migration tool when they are the same."""

METADATA = MetaData()

PROJECTS = Table(
    "projects",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("title", Text, nullable=False),
    Column("folder", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("opened_at", BigInteger, nullable=False),
    Column("file_digests", Text, nullable=False),
    Column("state", Text, nullable=False, server_default="active"),
)

RECORDS = Table(
    "records",
    METADATA,
    Column("row", Integer, primary_key=True),
    Column("project", Text, ForeignKey("projects.id", ondelete="CASCADE"), nullable=False),
    Column("id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("node", Text),
    Column("body", Text, nullable=False),
    Column("text", Text),
    UniqueConstraint("project", "id", name="records_project_id"),
)

USAGE = Table(
    "usage",
    METADATA,
    Column("project", Text, primary_key=True),
    Column("message", Text, primary_key=True),
    Column("at", BigInteger, nullable=False, index=True),
    Column("provider", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cache_read_tokens", BigInteger, nullable=False),
    Column("cache_write_tokens", BigInteger, nullable=False),
    Column("reasoning_tokens", BigInteger, nullable=False),
    Column("usd", Text),
    Column("estimated", Boolean, nullable=False),
)

SHELF = Table(
    "shelf",
    METADATA,
    Column("project", Text, ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True),
    Column("id", Text, primary_key=True),
    Column("node", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("why", Text, nullable=False),
    Column("taken_at", BigInteger, nullable=False),
    Column("messages", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("body", Text, nullable=False),
)

AUDIT = Table(
    "audit",
    METADATA,
    Column("row", Integer, primary_key=True),
    Column("project", Text, nullable=False),
    Column("call", Text, nullable=False),
    Column("node", Text, nullable=False),
    Column("turn", Text),
    Column("tool", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("arguments", Text, nullable=False),
    Column("decision", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("duration_ms", BigInteger),
    Column("outcome", Text, nullable=False),
    UniqueConstraint("project", "call", name="audit_project_call"),
)

VERSION = Table("alembic_version", MetaData(), Column("version_num", Text, primary_key=True))
