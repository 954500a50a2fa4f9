"""Slash commands. To add one: write its file and add it to `COMMANDS`; the composer's menu fills itself from there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from talkfield.core.slash.base import (
    ClearTranscript,
    Configure,
    Note,
    SlashAction,
    SlashCommand,
    SlashContext,
    SlashResult,
)
from talkfield.core.slash.clear import CLEAR
from talkfield.core.slash.cost import COST
from talkfield.core.slash.model import MODEL
from talkfield.core.slash.system import SYSTEM

COMMANDS: dict[str, SlashCommand] = {command.name: command for command in (CLEAR, MODEL, SYSTEM, COST)}

TYPED = re.compile(r"/(?P<word>\S+)(?P<argument>.*)", re.DOTALL)


@dataclass(frozen=True)
class SlashCall:
    """A command that was typed, and its argument: inner white space and line breaks as typed, ends trimmed (C6)."""

    name: str
    argument: str = ""

    @property
    def command(self) -> SlashCommand:
        return COMMANDS[self.name]


def detect_slash_command(text: str) -> SlashCall | None:
    """The command that a text is, or None: then it is an ordinary message (C5).

    A command is a slash at the very beginning and one of the known words, in any letter case, up to the first white
    space. Recognises only; `SlashCall.command.run` says what is to be done.
    """
    typed = TYPED.match(text)
    if typed is None or typed["word"].lower() not in COMMANDS:
        return None
    return SlashCall(typed["word"].lower(), typed["argument"].strip())


__all__ = [
    "COMMANDS",
    "ClearTranscript",
    "Configure",
    "Note",
    "SlashAction",
    "SlashCall",
    "SlashCommand",
    "SlashContext",
    "SlashResult",
    "detect_slash_command",
]
