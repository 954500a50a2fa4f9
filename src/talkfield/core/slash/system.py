"""`/system <text>`: sets the system prompt of this chat; alone, shows it (C6, C10)."""

from __future__ import annotations

from talkfield.core.slash.base import Configure, SlashCommand, SlashContext, SlashResult, note


def run(context: SlashContext) -> SlashResult:
    if context.argument:
        return SlashResult((Configure(system=context.argument),), undoable=True)
    if context.system:
        return note(f"System prompt:\n\n{context.system}")
    return note("There is no system prompt. Type /system followed by its text.")


SYSTEM = SlashCommand(name="system", about="Set the system prompt of this chat, or show it", argument="text", run=run)
