"""Whether a conversation fits into what a model can take in, and its newest turns that do (C7). Pure.

Tokens are estimated as everywhere else; what a person is asked on their account is only whether to leave something out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from talkfield.core.attachment import file_kind
from talkfield.core.estimate import BYTES_PER_TOKEN, estimate_tokens
from talkfield.core.messages import Attachment, Message
from talkfield.core.receipt import IMAGE_TOKENS
from talkfield.core.window import Window, cap_conversation_messages

MAX_ROOM = 4096
"""So much is kept free for the answer where nobody says how long it may be, but no more than a quarter of all."""


def room_for_answer(limit: int, asked: int | None) -> int:
    """Tokens of a context of `limit` that are left for the answer."""
    return min(asked if asked is not None else MAX_ROOM, limit // 4)


def message_tokens(message: Message) -> int:
    """What a message takes in of a context, its calls and files included."""
    calls = (text for call in message.tool_calls for text in (call.name, call.args_json, call.result or ""))
    return estimate_tokens(message.content) + sum(map(estimate_tokens, calls)) + file_tokens(message.attachments)


def file_tokens(files: Iterable[Attachment]) -> int:
    """What files take in, as far as it can be told before they are sent."""
    return sum(
        -(-file.size_bytes // BYTES_PER_TOKEN) if file_kind(file) == "text" else IMAGE_TOKENS
        for file in files
        if file_kind(file) in ("text", "image")
    )


def newest_turns(messages: Sequence[Message], system: str, max_tokens: int) -> Window:
    """The newest whole turns that fit, after a leading system message; the newest one always stays."""
    return cap_conversation_messages(
        messages,
        max_tokens,
        sizes=[message_tokens(message) for message in messages],
        envelope_bytes=estimate_tokens(system),
    )
