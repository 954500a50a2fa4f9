"""`/system` (C6, C10, W3)."""

from __future__ import annotations

from talkfield.core.slash import COMMANDS, Configure, Note, SlashContext, SlashResult

run = COMMANDS["system"].run


def test_C10_W3_system_sets_the_prompt_as_one_undo_entry() -> None:
    prompt = "You are  a poet.\n\nAnswer in verse."
    assert run(SlashContext(argument=prompt, system="old")) == SlashResult((Configure(system=prompt),), undoable=True)


def test_C6_system_alone_shows_the_current_prompt() -> None:
    assert run(SlashContext(system="Be kind.")) == SlashResult((Note("System prompt:\n\nBe kind."),))
    assert run(SlashContext()) == SlashResult((Note("There is no system prompt. Type /system followed by its text."),))
