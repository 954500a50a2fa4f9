"""`/model` (C6, C10, W3)."""

from __future__ import annotations

import pytest

from talkfield.core.slash import COMMANDS, Configure, Note, SlashContext, SlashResult

run = COMMANDS["model"].run


def test_C10_W3_model_sets_the_model_as_one_undo_entry() -> None:
    result = run(SlashContext(argument="gpt-4o", model="old"))
    assert result == SlashResult((Configure(model="gpt-4o"),), undoable=True)


@pytest.mark.parametrize(
    ("context", "text"),
    [
        (SlashContext(model="gpt-4o", default_model="other"), "Model: gpt-4o"),
        (SlashContext(default_model="other"), "Model: other (the default)"),
        (SlashContext(), "No model is chosen. Type /model followed by its name."),
    ],
)
def test_C6_model_alone_shows_the_current_one(context: SlashContext, text: str) -> None:
    assert run(context) == SlashResult((Note(text),), undoable=False)


def test_C6_a_model_name_may_hold_spaces() -> None:
    assert run(SlashContext(argument="my own  model.gguf")).actions == (Configure(model="my own  model.gguf"),)


@pytest.mark.parametrize("argument", ["gpt-4o\nHello!", "a\tb", "a\x00", "x" * 201])
def test_C10_what_cannot_be_a_model_changes_nothing(argument: str) -> None:
    result = run(SlashContext(argument=argument))
    text = (
        "A model's name is one line of at most 200 characters, so nothing was changed. "
        "To send this text as a message, put a space before it."
    )
    assert result == SlashResult((Note(text),))
