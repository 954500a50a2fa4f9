"""The command line inside the test's own process: much quicker than a process, and the loop is watched for blocking."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.terminal import Ended, environment
from talkfield.cli import main


@pytest.fixture
def here(own_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Runs a command to its end: `here("ask", "hello", stdin="…", NAME="value of the environment")`."""

    def run(*arguments: str, stdin: str = "", **more: str) -> Ended:
        with monkeypatch.context() as patch:
            for name, value in environment(own_home, **more).items():
                patch.setenv(name, value)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
            status = main(arguments)
        said = capsys.readouterr()
        return Ended(status, said.out, said.err)

    return run
