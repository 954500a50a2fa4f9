"""`make run` on a checkout that is set up: quick, and as easy to end as the program itself (Z1)."""

from __future__ import annotations

import os
import re
import resource
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from e2e.server_process import LINK, eventually

ROOT = Path(__file__).resolve().parents[2]


def is_set_up() -> bool:
    return (ROOT / ".make" / "environment").exists() and (ROOT / "src/talkfield/server/static/.sources").exists()


pytestmark = pytest.mark.skipif(not is_set_up(), reason="this checkout has not been set up by make")


def make_run(home: Path) -> subprocess.Popen[str]:
    environment = os.environ | {"TALKFIELD_HOME": str(home), "TALKFIELD_SCRIPTED": "1", "TALKFIELD_DISCOVER": "0"}
    return subprocess.Popen(
        ["make", "run", "ARGS=--no-browser --port 0"],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def port_of(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        found = LINK.search(line)
        if found:
            address = re.search(r":(\d+)/", found[0])
            assert address
            return int(address[1])
    raise AssertionError("".join(said))


def is_listening(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


def test_Z1_a_second_start_is_quick(own_home: Path) -> None:
    """Counted is the work that it takes, set-up's check included, since other programs may keep the machine busy."""
    works_s = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process = make_run(own_home)
        try:
            port_of(process)
        finally:
            os.killpg(process.pid, signal.SIGINT)
            process.communicate(timeout=10)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        works_s.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(works_s) < 2.0, works_s


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_Z1_a_signal_reaches_the_server(own_home: Path, sent: signal.Signals) -> None:
    """Ctrl-C goes to everyone at the terminal; a service manager's SIGTERM to make alone, which passes it on."""
    process = make_run(own_home)
    port = port_of(process)
    assert is_listening(port)
    if sent is signal.SIGINT:
        os.killpg(process.pid, sent)
    else:
        process.send_signal(sent)
    said, _ = process.communicate(timeout=10)
    eventually(lambda: not is_listening(port), what="the server has ended")
    assert "Traceback" not in said


def test_Z1_the_exit_status_tells_that_it_could_not_start(own_home: Path) -> None:
    own_home.write_text("in the way")
    process = make_run(own_home)
    said, _ = process.communicate(timeout=15)
    assert process.returncode != 0
    assert "Traceback" not in said
