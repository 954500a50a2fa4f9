"""Running programs: the exact command, its output as it comes, and an end for all of it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from talkfield.core.concern import Concern
from talkfield.errors import ToolError
from talkfield.tools import process_group
from talkfield.tools.process_group import Output, plain
from talkfield.tools.run_command import TOOL
from tool_desk import context, make, preview, refused, result

PYTHON = sys.executable


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    return state != "Z"


async def gone(*processes: int) -> bool:
    for _ in range(6000):
        if not any(map(is_alive, processes)):
            return True
        await asyncio.sleep(0.01)
    return False


async def test_T9_a_command_runs_in_the_projects_folder(tmp_path: Path) -> None:
    make(tmp_path, "sub")
    assert await result(TOOL, tmp_path, command=["pwd"]) == f"exit status 0\n{tmp_path}\n"
    assert await result(TOOL, tmp_path, command=["pwd"], folder="sub") == f"exit status 0\n{tmp_path}/sub\n"
    assert await result(TOOL, tmp_path, command=["true"]) == "exit status 0, no output"
    (tmp_path / "sub/up").symlink_to("../..")
    assert "leads out" in await refused(TOOL, tmp_path, command=["pwd"], folder="sub/up")
    assert "no folder" in await refused(TOOL, None, command=["pwd"])


async def test_T9_words_reach_the_program_as_they_are_and_no_shell_reads_them(tmp_path: Path) -> None:
    words = ["a b", "$HOME", "`id`", ";", "&&", "|", ">", "*", "", "ü\n"]
    said = await result(TOOL, tmp_path, command=[PYTHON, "-c", "import sys; print(sys.argv[1:])", *words])
    assert said == f"exit status 0\n{words!r}\n"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["sh", "-c", "echo no; exit 3"], "exit status 3\nno\n"),
        (["sh", "-c", "kill -9 $$"], "ended by SIGKILL, no output"),
        (["no-such-program-here"], "there is no program 'no-such-program-here' here"),
        ([""], "the command needs a program's name, and no NUL characters"),
        (["a\0b"], "the command needs a program's name, and no NUL characters"),
        (["/etc/passwd"], "'/etc/passwd' cannot be started: [Errno 13] Permission denied: '/etc/passwd'"),
    ],
)
async def test_T4_a_command_that_fails_says_how(tmp_path: Path, command: list[str], said: str) -> None:
    assert await refused(TOOL, tmp_path, command=command) == said


async def test_T9_no_secret_of_ours_is_in_its_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "TALKFIELD_PROVIDER_KEY_X", "SSH_AUTH_SOCK", "AWS_SESSION_TOKEN", "LD_PRELOAD_X"):
        monkeypatch.setenv(name, "canary")
    assert "canary" not in await result(TOOL, tmp_path, command=["env"])


async def test_T9_output_is_told_as_it_comes(tmp_path: Path) -> None:
    told: asyncio.Queue[str] = asyncio.Queue()
    script = "import sys, time\nprint('one', flush=True)\nsys.stdin.read(1) or time.sleep(0.2)\nprint('two')"
    running = asyncio.ensure_future(
        TOOL.run({"command": [PYTHON, "-c", script]}, context(tmp_path, report=told.put_nowait))
    )
    assert await told.get() == "one\n"
    assert not running.done()
    assert await running == "exit status 0\none\ntwo\n"


async def test_check_41_endless_output_is_bounded(tmp_path: Path) -> None:
    began = time.monotonic()
    said = await refused(TOOL, tmp_path, command=["yes", "x" * 200])
    assert said.startswith("ended by Talkfield: it said more than 33,554,432 bytes\nxxx")
    assert "bytes are not shown]" in said
    assert len(said) < 12 * 1024
    assert time.monotonic() - began < 60


async def test_T9_what_runs_too_long_is_ended_with_all_it_started(tmp_path: Path) -> None:
    script = f"{PYTHON} -c 'import time; print(__import__(\"os\").getpid(), flush=True); time.sleep(60)' & wait"
    said = await refused(TOOL, tmp_path, command=["sh", "-c", script], timeout_s=1)
    first, _, child = said.partition("\n")
    assert first == "ended by Talkfield: it ran longer than 1 s"
    assert await gone(int(child))


async def test_T9_what_is_left_running_is_ended_too(tmp_path: Path) -> None:
    began = time.monotonic()
    said = await result(TOOL, tmp_path, command=["sh", "-c", "sleep 60 & echo $!"])
    first, _, child = said.partition("\n")
    assert first == "exit status 0; what it had left running was ended"
    assert await gone(int(child))
    assert time.monotonic() - began < 40


STUBBORN = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    time.sleep(60)
print(os.getpid(), flush=True)
time.sleep(60)
"""


async def started(folder: Path, script: str) -> tuple[asyncio.Future[str], int]:
    told: asyncio.Queue[str] = asyncio.Queue()
    running = asyncio.ensure_future(
        TOOL.run({"command": [PYTHON, "-c", script]}, context(folder, report=told.put_nowait))
    )
    return running, int(await told.get())


async def test_R10_stop_ends_the_whole_group_also_one_that_will_not(tmp_path: Path) -> None:
    running, leader = await started(tmp_path, STUBBORN)
    members = [int(name) for name in os.listdir("/proc") if name.isdigit() and group_of(int(name)) == leader]
    assert len(members) == 2
    running.cancel()
    began = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert 1.8 < time.monotonic() - began < 40
    assert await gone(*members)


async def test_R10_a_second_cancellation_kills_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_group, "GRACE_S", 50.0)
    running, leader = await started(tmp_path, STUBBORN)
    running.cancel()
    await asyncio.sleep(0.1)
    running.cancel()
    began = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert time.monotonic() - began < 40
    assert await gone(leader)


async def test_R10_a_program_that_listens_ends_when_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_group, "GRACE_S", 50.0)
    polite = STUBBORN.replace("signal.SIG_IGN", "lambda *_: os._exit(0)").replace("os.fork() == 0", "False")
    running, leader = await started(tmp_path, polite)
    running.cancel()
    began = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert time.monotonic() - began < 40
    assert await gone(leader)


def group_of(process: int) -> int:
    try:
        return os.getpgid(process)
    except ProcessLookupError:
        return 0


async def test_T9_the_card_of_a_command_shows_exactly_it_and_where(tmp_path: Path) -> None:
    make(tmp_path, "sub")
    shown = await preview(TOOL, tmp_path, command=["rm", "a b", "c\u202e;d"], folder="sub")
    assert (shown.command, shown.folder, shown.arguments, shown.cut) == (
        "rm 'a b' 'c⟨U+202E⟩;d'",
        f"{tmp_path}/sub",
        ("command", "folder"),
        False,
    )
    endless = await preview(TOOL, tmp_path, command=["echo", "x" * 100_000, "rm -rf /"])
    assert endless.cut
    long = endless.command or ""
    assert len(long) < 9000
    assert long.endswith("x 'rm -rf /'")
    assert "more characters⟩" in long
    with pytest.raises(ToolError, match="no such"):
        await preview(TOOL, tmp_path, command=["ls"], folder="gone")


@pytest.mark.parametrize(
    "command",
    [
        *(["sudo", "ls"], ["/usr/bin/sudo", "ls"], ["rm", "-rf", "x"], ["rm", "-fR", "x"], ["rm", "--recursive", "x"]),
        *(["sh", "-c", "ls"], ["bash", "x.sh"], ["curl", "x"], ["dd", "if=x"], ["mkfs.ext4", "x"], ["cat", ".env"]),
        *(["git", "-c", "alias.x=!sh", "x"], ["git", "push", "--force"], ["git", "push", "-f"], ["cat", "a/id_rsa"]),
    ],
)
def test_check_43_T9_a_command_that_can_do_more_is_loud(command: list[str]) -> None:
    assert isinstance(TOOL.concern({"command": command}), Concern)


@pytest.mark.parametrize("command", [["ls"], ["git", "status"], ["rm", "x"], ["cat", "README.md"], ["git", "push"], []])
def test_T9_an_ordinary_command_is_not_loud(command: list[Any]) -> None:
    assert TOOL.concern({"command": command}) is None


def test_check_44_output_loses_what_moves_a_terminal() -> None:
    assert plain("\x1b[2J\x1b]0;title\x07\x1b[31mred\x1b[0m\x07\r\n") == "red\n"


def test_T4_of_long_output_beginning_and_end_are_kept() -> None:
    output = Output(20)
    for piece in (b"01234", b"56789abc", b"def" * 10, b"END"):
        output.add(piece)
    assert output.text() == "0123456789\n[cut: 26 of 46 bytes are not shown]\nfdefdefEND"
    assert signal.SIGTERM
