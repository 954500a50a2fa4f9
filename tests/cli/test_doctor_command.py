"""`talkfield doctor`, `--version` and `--help` as processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from cli.terminal import Ended, opened, run
from talkfield import __version__

Run = Callable[..., Ended]


def test_Z1_doctor_says_how_it_stands_and_changes_nothing(here: Run, own_home: Path) -> None:
    ended = here("doctor")
    assert (ended.status, ended.err) == (0, "")
    subjects = [line.split("  ")[0] for line in ended.out.splitlines()]
    assert subjects[:2] == ["ok Talkfield", "ok data folder"]
    assert any("Scripted" in subject for subject in subjects)
    assert not own_home.exists()


def test_X2_doctor_shows_no_key(here: Run) -> None:
    key = "sk-test-0123456789abcdefghijklmnopqrstuv"
    ended = here("doctor", OPENAI_API_KEY=key, OPENAI_BASE_URL="http://127.0.0.1:1/v1")
    assert ended.status == 0
    assert "key ends in stuv" in ended.out
    assert key not in ended.out + ended.err
    assert key[:12] not in ended.out + ended.err


def test_ST5_doctor_tells_of_a_canvas_that_is_open(own_home: Path) -> None:
    with opened(own_home) as canvas:
        ended = run(own_home, "doctor")
        assert (ended.status, canvas.url in ended.out) == (0, True)


def test_X5_doctor_fails_for_what_is_essential(tmp_path: Path) -> None:
    in_the_way = tmp_path / "a file"
    in_the_way.write_text("")
    ended = run(in_the_way, "doctor")
    assert ended.status == 1
    assert "!! data folder" in ended.out
    assert "Traceback" not in ended.err


def test_Z1_the_version_is_told_before_anything_is_imported() -> None:
    code = "import sys; from talkfield.cli import main; main(['--version']); print('typer' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"talkfield {__version__}\nFalse\n"


def test_Z1_help_names_every_command(here: Run) -> None:
    ended = here("--help")
    assert ended.status == 0
    for command in ("open", "ask", "doctor", "probe", "replay", "diff", "merge"):
        assert f"\n  {command} " in ended.out
    assert here("bogus").status == 2
