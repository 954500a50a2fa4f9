"""Data folders that earlier versions left: everything is there, and goes on. `scripts/keep_sample.py` keeps them."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from cli.terminal import opened
from cli.test_open_command import get, post

SAMPLES = sorted((Path(__file__).parents[1] / "samples").glob("*.tar.gz"))


def lost(then: Any, now: Any, where: str = "") -> list[str]:
    """What an earlier answer said and a later one does not; later ones may say more."""
    if isinstance(then, dict) and isinstance(now, dict):
        return [
            line
            for key, value in then.items()
            for line in (lost(value, now[key], f"{where}.{key}") if key in now else [f"{where}.{key}"])
        ]
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        by_id = {entry["id"]: entry for entry in now if isinstance(entry, dict) and "id" in entry}
        pairs = [
            (entry, by_id.get(entry["id"])) if isinstance(entry, dict) and by_id else (entry, None) for entry in then
        ]
        if not by_id:
            pairs = list(zip(then, now, strict=True))
        return [line for number, (old, new) in enumerate(pairs) for line in lost(old, new, f"{where}[{number}]")]
    return [] if then == now else [f"{where}: {then!r} is {now!r}"]


def test_lost_finds_what_is_gone_or_changed() -> None:
    then = {"a": [{"id": "x", "b": 1}, {"id": "y", "b": 2}], "c": "d", "e": 1}
    assert lost(then, {"a": [{"id": "y", "b": 2, "new": 3}, {"id": "x", "b": 1}], "c": "d", "e": 1}) == []
    assert lost(then, {"a": [{"id": "x", "b": 1}, {"id": "y", "b": 3}], "c": "f"}) == [
        ".a[1].b: 2 is 3",
        ".c: 'd' is 'f'",
        ".e",
    ]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name.removesuffix(".tar.gz"))
def test_check_17_ST9_the_data_of_an_earlier_version_is_all_there_and_goes_on(sample: Path, tmp_path: Path) -> None:
    with tarfile.open(sample) as archive:
        archive.extractall(tmp_path, filter="data")
    home = tmp_path / "data"
    expected = json.loads((tmp_path / "expected.json").read_text())
    with opened(home) as canvas:
        token = (home / "api-token").read_text().strip()
        for path, then in expected.items():
            then.pop("seq", None)  # counts since the server started
            assert lost(then, get(f"{canvas.url}{path}", token), path) == []
        chats = [path for path, then in expected.items() if path.startswith("/api/nodes/") and then.get("messages")]
        for path in chats:
            assert post(f"{canvas.url}{path}/send", token, {"text": "and now?"})["ok"] is True
        ended = canvas.stop()
    assert (ended.status, ended.err) == (0, "")


def test_ST9_there_is_a_sample_of_an_earlier_version() -> None:
    assert SAMPLES
