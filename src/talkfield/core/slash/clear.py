"""`/clear`: empties the transcript and the cost (C10)."""

from __future__ import annotations

from talkfield.core.slash.base import ClearTranscript, SlashCommand, SlashContext, SlashResult, takes_no_argument


def run(context: SlashContext) -> SlashResult:
    if context.argument:
        return takes_no_argument("clear")
    return SlashResult((ClearTranscript(),), undoable=True)


CLEAR = SlashCommand(name="clear", about="Empty this chat; undo brings it back", run=run)
