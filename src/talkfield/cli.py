"""The entry point of the command line: runs a command and turns whatever goes wrong into one line and a status.

What the commands do is in `open.py`, `ask.py`, `chat.py`, `canvas_commands.py`, `doctor.py`, `probe.py`, `replay.py`
and `project_commands.py`; their flags in `command.py`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from talkfield import __version__
from talkfield.errors import TalkfieldError

FAILED = 1
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program with these arguments (those of the process by default); its exit status.

    Without any it is `open`: whoever has only just got the program sees the canvas.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given in (["--version"], ["-V"]):
        print(f"talkfield {__version__}")  # before anything that takes its time to import
        return 0
    from talkfield.command import app

    try:
        app(given or ["open"], prog_name="talkfield")
    except SystemExit as end:  # how the library says that it has dealt with everything, wrong flags included
        return end.code if isinstance(end.code, int) else 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        return complaint(error)
    return 0


def complaint(error: Exception) -> int:
    """Say on one line what went wrong and what to do; the status to end with. `TALKFIELD_DEBUG=1` shows where."""
    if os.environ.get("TALKFIELD_DEBUG"):
        raise error
    if isinstance(error, TalkfieldError):
        say(f"{error.message} {error.hint}".strip())
        return FAILED
    say(f"something unexpected happened: {error!r} (TALKFIELD_DEBUG=1 shows where)")
    return FAILED


def say(line: str) -> None:
    """A line for the person at the terminal; standard output is for what was asked for."""
    print(f"talkfield: {' '.join(line.split())}", file=sys.stderr, flush=True)
