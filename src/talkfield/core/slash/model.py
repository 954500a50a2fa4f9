"""`/model <id>`: sets the model this chat asks; alone, shows it (C6, C10)."""

from __future__ import annotations

from talkfield.core.slash.base import MAX_MODEL_CHARACTERS, Configure, SlashCommand, SlashContext, SlashResult, note


def run(context: SlashContext) -> SlashResult:
    model = context.argument
    if not model:
        return note(current(context))
    if not model.isprintable() or len(model) > MAX_MODEL_CHARACTERS:
        return note(
            f"A model's name is one line of at most {MAX_MODEL_CHARACTERS} characters, so nothing was changed. "
            "To send this text as a message, put a space before it."
        )
    return SlashResult((Configure(model=model),), undoable=True)


def current(context: SlashContext) -> str:
    if context.model:
        return f"Model: {context.model}"
    if context.default_model:
        return f"Model: {context.default_model} (the default)"
    return "No model is chosen. Type /model followed by its name."


MODEL = SlashCommand(name="model", about="Set the model of this chat, or show it", argument="model id", run=run)
