"""What becomes of a message that is more, with all before it, than the model can take in: a person is asked (C7)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from talkfield.core.context_fit import file_tokens, message_tokens, room_for_answer
from talkfield.core.estimate import estimate_tokens
from talkfield.core.messages import Attachment, Message
from talkfield.core.records import TotalsRecord, totals_id
from talkfield.errors import ContextFull
from talkfield.runtime.ports import SendRequest
from talkfield.wire.client import WhenFull

if TYPE_CHECKING:
    from talkfield.workspace.session import Session


def room_for(
    session: Session,
    request: SendRequest,
    said: str,
    files: tuple[Attachment, ...],
    when_full: WhenFull,
    gone: Iterable[Message] = (),
) -> int | None:
    """Tokens that the turns before have to fit into; None: all of them go. Raises `ContextFull` where to ask.

    `request` holds what comes before `said`; `gone` is what the chat still has, and is about to go out of it.
    """
    config = session.services.directory.resolve(request.provider)
    model = request.model or (config.model if config is not None else None)
    if config is None or model is None or when_full == "send":
        return None
    limit = session.services.context_limit(model, config.id)
    if limit is None:
        return None
    totals = session.document.get(totals_id(request.node))
    counted = totals.context_tokens if isinstance(totals, TotalsRecord) else 0
    counted -= sum(map(message_tokens, gone))
    estimated = estimate_tokens(request.system) + sum(map(message_tokens, request.messages))
    used = max(counted, estimated) + estimate_tokens(said) + file_tokens(files)
    if used <= limit:
        return None
    if when_full == "ask":
        raise ContextFull(
            f"With this message the chat has about {used:,} tokens; {model} can take in {limit:,}.",
            hint="Leave out the oldest turns this time, send it all the same, or go on in a branch.",
        )
    return limit - room_for_answer(limit, request.parameters.max_output_tokens)
