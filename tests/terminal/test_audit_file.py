"""The record of the terminal's tool calls (T8)."""

from __future__ import annotations

import stat
from pathlib import Path

import msgspec
import pytest

from builders import NODE
from talkfield.core.audit import AuditEntry
from talkfield.core.ids import CallId
from talkfield.terminal.audit_file import audit_into, last_calls

STARTED = AuditEntry(
    call=CallId("c"), node=NODE, tool="look", args_json="{}", decision="person", at=1, outcome="started"
)


def test_T8_each_entry_is_a_line_of_a_private_file(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    ended = msgspec.structs.replace(STARTED, outcome="done", duration_ms=5)
    for entry in (STARTED, ended):
        audit_into(path)(entry)
    assert msgspec.json.Decoder(AuditEntry).decode_lines(path.read_bytes()) == [STARTED, ended]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_T7_the_last_calls_of_a_tool_are_read_back_each_once(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    entries = [msgspec.structs.replace(STARTED, call=CallId(f"c{number}"), at=number) for number in range(4)]
    ended = [msgspec.structs.replace(entry, outcome="done") for entry in entries]
    for entry in (*entries, msgspec.structs.replace(STARTED, call=CallId("other"), tool="other"), *ended):
        audit_into(path)(entry)
    with path.open("ab") as file:
        file.write(b'{"half": \n')
    assert last_calls(path, "look", 3) == ended[:0:-1]
    assert last_calls(tmp_path / "none", "look", 3) == []


def test_T8_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        audit_into(tmp_path / "nowhere" / "audit.jsonl")(STARTED)
