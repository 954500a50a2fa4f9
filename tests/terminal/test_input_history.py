"""What was typed, for the arrow keys of the next chat."""

from __future__ import annotations

import stat
from pathlib import Path

from talkfield.terminal.input_history import MOST_LINES, InputHistory


def test_Z4_what_was_typed_comes_back_whatever_it_was(tmp_path: Path) -> None:
    path = tmp_path / "history"
    lines = ["hello", "two\nlines", "\u00e9 \U0001f600 \u2028", "\x00 \udc80"]
    history = InputHistory(path)
    assert history.load() == []
    for line in lines:
        history.add(line)
    assert InputHistory(path).load() == lines
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_X4_it_does_not_grow_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "history"
    count = 2 * MOST_LINES + 1
    path.write_text("".join(f'"{number}"\n' for number in range(count)))
    newest = [str(number) for number in range(count - MOST_LINES, count)]
    assert InputHistory(path).load() == newest
    assert len(path.read_text().splitlines()) == MOST_LINES
    assert InputHistory(path).load() == newest


def test_X5_what_cannot_be_read_or_written_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_bytes(b'"good"\nno json\n7\n\xff\n"good too"\n')
    assert InputHistory(path).load() == ["good", "good too"]
    nowhere = InputHistory(tmp_path / "nowhere" / "history")
    nowhere.add("lost")
    assert nowhere.load() == []
