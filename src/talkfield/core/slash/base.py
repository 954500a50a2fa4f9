"""What a slash command is: a pure function from what it may know to what it wants done (C10).

A command changes nothing itself. It answers with values, and whoever holds the conversation carries them out: the
workspace as record changes, a script as it likes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from talkfield.core.cost import CostReport

MAX_MODEL_CHARACTERS = 200

NOTHING_SPENT = CostReport()


@dataclass(frozen=True)
class ClearTranscript:
    """Take every message out of the conversation (to the shelf, W14); its cost starts from nothing."""


@dataclass(frozen=True, kw_only=True)
class Configure:
    """Set what the chat asks with. None leaves a value as it is."""

    model: str | None = None
    system: str | None = None


@dataclass(frozen=True)
class Note:
    """Append a note for the reader; no provider ever sees it (C4)."""

    text: str


SlashAction = ClearTranscript | Configure | Note


@dataclass(frozen=True, kw_only=True)
class SlashContext:
    """What a command may know. `model` is the chat's own, None where it uses `default_model`."""

    argument: str = ""
    model: str | None = None
    default_model: str | None = None
    system: str = ""
    report: CostReport = NOTHING_SPENT


@dataclass(frozen=True)
class SlashResult:
    """What a command wants done, in order. `undoable`: as one undo entry; else without any (W3)."""

    actions: tuple[SlashAction, ...]
    undoable: bool = False


@dataclass(frozen=True, kw_only=True)
class SlashCommand:
    """One command. `about` is a line for the menu; `argument` a placeholder, empty where it takes none."""

    name: str
    about: str
    run: Callable[[SlashContext], SlashResult]
    argument: str = ""


def note(text: str) -> SlashResult:
    """A result that only tells the reader something."""
    return SlashResult((Note(text),))


def takes_no_argument(name: str) -> SlashResult:
    """The answer to words after a command that takes none: they may well be a message that begins with a slash."""
    return note(
        f"/{name} takes nothing after it, so nothing was done. To send this text as a message, put a space before it."
    )
