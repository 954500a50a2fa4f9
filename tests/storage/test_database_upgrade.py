"""Databases that earlier versions made open as they are, with all that is in them (one test a revision)."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import create_engine, event, text

from builders import assistant, chat, message_record, usage
from talkfield.core.ids import ProjectId
from talkfield.core.shelf import ShelfItem
from talkfield.errors import ProjectError
from talkfield.storage.base import StoredProject, WriteBatch
from talkfield.storage.database import DatabaseStore
from talkfield.storage.database_file import begin, set_up
from talkfield.storage.schema import REVISIONS

PROJECT = ProjectId("p")
OLD_NODE = '{"record":"node","id":"n","x":0,"y":0,"width":460,"height":520,"data":{"kind":"chat"}}'
OLD_MESSAGE = (
    '{"record":"message","id":"m1","role":"assistant","content":"","ts":1,"nodeId":"n","index":0,'
    '"usage":{"inputTokens":10,"outputTokens":5}}'
)
OLD_ROWS = (
    "INSERT INTO projects VALUES ('p', 'Plans', '/home/me/plans', 1, 2, 'd1 d2')",
    f"INSERT INTO records VALUES (1, 'p', 'n', 'node', NULL, '{OLD_NODE}', NULL)",
    f"INSERT INTO records VALUES (2, 'p', 'm1', 'message', 'n', '{OLD_MESSAGE}', 'about rivers')",
    "INSERT INTO usage VALUES ('p', 'm1', 1, '', '', 10, 5, 0, 0, 0, NULL, 0)",
)
"""What the first version wrote; not to be changed when the product is."""


def database_of(revision: str, path: Path, rows: tuple[str, ...] = ()) -> None:
    """A database as the version of that revision made it."""
    from alembic import command
    from alembic.config import Config

    engine = create_engine(f"sqlite:///{path}")
    event.listen(engine, "connect", set_up)
    event.listen(engine, "begin", begin)
    config = Config()
    config.set_main_option("script_location", "talkfield.storage:migrations")
    config.set_main_option("path_separator", "os")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        for row in rows:
            connection.exec_driver_sql(row)
    engine.dispose()


def revision_of(path: Path) -> str:
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    engine.dispose()
    return str(found)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "talkfield.db"


def test_check_17_ST9_a_database_of_the_first_revision_opens_with_all_that_is_in_it(path: Path) -> None:
    database_of("0001", path, OLD_ROWS)
    store = DatabaseStore(path)
    assert store.notices == []
    kept = StoredProject(
        id=PROJECT, title="Plans", folder="/home/me/plans", created_at=1, opened_at=2, file_digests=("d1", "d2")
    )
    assert store.projects() == [kept]
    message = message_record("m1", content="about rivers", usage=usage())
    assert sorted(store.load(PROJECT), key=lambda record: record.id) == [message, chat()]
    assert [hit.message for hit in store.search("rivers")] == ["m1"]
    assert [row.input_tokens for row in store.usage()] == [10]
    item = ShelfItem(id="s", why="cleared", taken_at=1, node=chat(), messages=(assistant(),))
    store.write([WriteBatch(project=PROJECT, shelve=(item,))])
    assert store.shelved(PROJECT, "s") == item
    store.close()
    assert revision_of(path) == REVISIONS[-1]


@pytest.mark.parametrize("revision", REVISIONS)
def test_ST9_every_revision_leads_to_this_one(path: Path, revision: str) -> None:
    database_of(revision, path)
    DatabaseStore(path).close()
    assert revision_of(path) == REVISIONS[-1]


def test_ST9_an_upgrade_that_fails_leaves_the_database_as_it_was(path: Path) -> None:
    database_of("0001", path, (*OLD_ROWS, "CREATE TABLE shelf (in_the_way TEXT)"))
    with pytest.raises(ProjectError):
        DatabaseStore(path)
    assert revision_of(path) == "0001"
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM records")).scalar() == 2
    engine.dispose()
