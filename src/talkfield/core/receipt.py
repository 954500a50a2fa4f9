"""What one provider call was sent, by source, and what was left out (the receipt of a reply). Pure.

Tokens are our estimate, for showing what weighs how much; what the call really used is in the reply's usage.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from talkfield.core.attachment import file_kind
from talkfield.core.estimate import BYTES_PER_TOKEN, estimate_tokens
from talkfield.core.messages import FileKind, LeftOut, Message, Receipt, ReceiptPart

IMAGE_TOKENS = 1_000
"""About what an image of usual size takes; services count it each in their own way."""

NAMES = 20
"""So many names a part has at most: a receipt is kept with every reply."""


def receipt_of(
    conversation: Sequence[Message],
    sent: Sequence[Message],
    *,
    system: str,
    tools: Iterable[tuple[str, str]],
    takes: Collection[FileKind],
    provider: str,
    temperature: float | None = None,
    top_p: float | None = None,
    effort: str | None = None,
    max_output_tokens: int | None = None,
    stop_sequences: tuple[str, ...] = (),
    seed: int | None = None,
) -> Receipt:
    """The receipt of a call that sent `sent`, which is what a provider may see of `conversation`.

    `tools` are those the model was told of, each with all that was told, as text. `takes` are the kinds of files that
    the provider called `provider` accepts.
    """
    said = [message for message in sent if message.role == "user" and message.source is None]
    linked = [message for message in sent if message.source is not None]
    systems = [message for message in sent if message.role == "system" and message.source is None]
    replies = [message for message in sent if message.role == "assistant"]
    calls = [call for message in replies for call in message.tool_calls]
    files = [file for message in sent for file in message.attachments]
    taken = [file for file in files if file_kind(file) is None or file_kind(file) in takes]
    told = list(tools)
    # A file whose type says nothing is looked into by the driver; what it weighs is then anybody's guess.
    weights = [
        -(-file.size_bytes // BYTES_PER_TOKEN) if file_kind(file) == "text" else IMAGE_TOKENS
        for file in taken
        if file_kind(file) in ("text", "image")
    ]
    parts = (
        ReceiptPart(
            source="system",
            count=len(systems) + bool(system),
            tokens=estimate_tokens(system) + _tokens(message.content for message in systems),
        ),
        ReceiptPart(source="you", count=len(said), tokens=_tokens(message.content for message in said)),
        ReceiptPart(source="replies", count=len(replies), tokens=_tokens(message.content for message in replies)),
        ReceiptPart(
            source="tools",
            count=len(calls),
            tokens=_tokens(text for call in calls for text in (call.name, call.args_json, call.result or "")),
        ),
        ReceiptPart(
            source="links",
            count=len(linked),
            tokens=_tokens(message.content for message in linked),
            names=_names(message.source.node for message in linked if message.source is not None),
        ),
        ReceiptPart(
            source="files",
            count=len(taken),
            tokens=sum(weights) if len(weights) == len(taken) else None,
            names=_names(file.name for file in taken),
        ),
        ReceiptPart(
            source="toolList",
            count=len(told),
            tokens=_tokens(text for _, text in told),
            names=_names(name for name, _ in told),
        ),
    )
    return Receipt(
        turns=len(said),
        parts=tuple(part for part in parts if part.count),
        left_out=(
            *_unsent(conversation, sent),
            *(
                LeftOut(what=file.name, why=f"{provider} takes no files of this kind; it was told the name alone")
                for file in files
                if file not in taken
            ),
        ),
        temperature=temperature,
        top_p=top_p,
        effort=effort,
        max_output_tokens=max_output_tokens,
        stop_sequences=stop_sequences,
        seed=seed,
    )


def _unsent(conversation: Sequence[Message], sent: Sequence[Message]) -> Iterable[LeftOut]:
    ids = {message.id for message in sent}
    left = [message for message in conversation if message.id not in ids]
    notes = sum(message.role == "note" for message in left)
    results = sum(message.role == "tool" for message in left)
    oldest = sum(message.role in ("user", "assistant", "system") and bool(message.content.strip()) for message in left)
    empty = len(left) - notes - results - oldest
    thoughts = sum(bool(message.thinking) and message.provider_state is None for message in sent)
    if oldest:
        yield LeftOut(what="Oldest messages", why="they did not fit into what the model can take in", count=oldest)
    if notes:
        yield LeftOut(what="Notes", why="they are for you alone", count=notes)
    if results:
        yield LeftOut(what="Results without a call", why="no provider takes them", count=results)
    if empty:
        yield LeftOut(what="Empty messages", why="there is nothing in them to send", count=empty)
    if thoughts:
        why = "what a model thought is not said again; some services want it back within one turn"
        yield LeftOut(what="Thinking of earlier replies", why=why, count=thoughts)


def _tokens(texts: Iterable[str]) -> int:
    return sum(map(estimate_tokens, texts))


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))[:NAMES]
