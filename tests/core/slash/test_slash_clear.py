"""`/clear` (C10, W3)."""

from __future__ import annotations

from talkfield.core.slash import COMMANDS, ClearTranscript, Note, SlashContext, SlashResult


def test_C10_W3_clear_empties_the_transcript_as_one_undo_entry() -> None:
    assert COMMANDS["clear"].run(SlashContext()) == SlashResult((ClearTranscript(),), undoable=True)


def test_C10_words_after_clear_clear_nothing() -> None:
    result = COMMANDS["clear"].run(SlashContext(argument="the table, please"))
    text = "/clear takes nothing after it, so nothing was done. To send this text as a message, put a space before it."
    assert result == SlashResult((Note(text),), undoable=False)
