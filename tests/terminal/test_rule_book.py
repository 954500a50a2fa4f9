"""What a terminal remembers about tools: for the chat, and for the folder in a file (T7)."""

from __future__ import annotations

import stat
from pathlib import Path

import msgspec
import pytest

from builders import NODE
from talkfield.core.ids import RuleId
from talkfield.core.rule import Rule
from talkfield.errors import StartFailed
from talkfield.terminal.rule_book import RuleBook

FOLDER_RULE = Rule(id=RuleId("r1"), action="allow", tool="write_file", kind="path", pattern="a/**", argument="path")
CHAT_RULE = msgspec.structs.replace(FOLDER_RULE, id=RuleId("r2"), node_id=NODE)


def test_T7_rules_of_the_folder_outlast_the_chat_and_those_of_the_chat_do_not(tmp_path: Path) -> None:
    path = tmp_path / "chat-rules.json"
    book = RuleBook(path, "/garden")
    book.keep(CHAT_RULE)
    assert not path.exists()
    book.keep(FOLDER_RULE)
    book.keep(msgspec.structs.replace(FOLDER_RULE, id=RuleId("again"), created_at=5))
    assert list(book.rules) == [FOLDER_RULE, CHAT_RULE]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert RuleBook(path, "/garden").rules == (FOLDER_RULE,)
    assert RuleBook(path, "/elsewhere").rules == ()
    book.remove(CHAT_RULE)
    book.remove(FOLDER_RULE)
    assert list(book.rules) == []
    assert path.read_bytes() == b"{}"


def test_T7_two_terminals_lose_nothing_of_each_other(tmp_path: Path) -> None:
    path = tmp_path / "chat-rules.json"
    one, two = RuleBook(path, "/garden"), RuleBook(path, "/garden")
    other = msgspec.structs.replace(FOLDER_RULE, id=RuleId("r3"), action="deny")
    one.keep(FOLDER_RULE)
    two.keep(other)
    assert RuleBook(path, "/garden").rules == (FOLDER_RULE, other)


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"/garden": [{"id": 1}]}', b"\xff"])
def test_T7_rules_that_cannot_be_read_are_not_taken_for_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "chat-rules.json"
    path.write_bytes(content)
    with pytest.raises(StartFailed, match="cannot be read"):
        RuleBook(path, "/garden")
    assert path.read_bytes() == content
