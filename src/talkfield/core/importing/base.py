"""What files of other chat tools hold, and how trees of messages become chats (U13). Pure; trusts nothing it reads.

Readers take any JSON: what is not as expected is left out, never an error of its own. Everything is bounded (X4).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

MAX_CONVERSATIONS = 20_000
MAX_MESSAGES = 200_000
"""Of one file, copies in branches included."""
MAX_BRANCHES = 40
"""Of one conversation; further ones are left out and counted."""
MAX_TEXT = 4_000_000
LATEST_MS = 253_370_764_800_000

ImportedRole = Literal["user", "assistant", "note"]


@dataclass(frozen=True, kw_only=True)
class ImportedMessage:
    """One message; `ts` is epoch milliseconds, 0 where the file does not say."""

    role: ImportedRole
    content: str
    ts: int = 0
    thinking: str = ""
    model: str = ""


@dataclass(frozen=True, kw_only=True)
class ImportedChat:
    """One chat of a conversation. `came_from` is the chat it branched off, by its place in the conversation."""

    messages: tuple[ImportedMessage, ...]
    came_from: int | None = None


@dataclass(frozen=True, kw_only=True)
class ImportedConversation:
    """A conversation: the chat that was shown last, then its branches. `left_out` counts branches beyond the bound."""

    title: str
    created_at: int
    chats: tuple[ImportedChat, ...]
    system: str = ""
    left_out: int = 0


@dataclass(frozen=True, kw_only=True)
class TreeMessage:
    """A message of a tree by its parent; `message` None where it only joins others."""

    parent: str
    message: ImportedMessage | None


def chats_of(
    tree: Mapping[str, TreeMessage], current: str, max_branches: int = MAX_BRANCHES
) -> tuple[tuple[ImportedChat, ...], int]:
    """The chats of a tree: the path to `current`, then the path to each other leaf, at most `max_branches`; and how
    many leaves were left out. Where `current` leads nowhere the last leaf is the first chat.
    """
    parents = {each.parent for each in tree.values()}
    leaves = [name for name in tree if name not in parents]
    if current not in tree:
        current = leaves[-1] if leaves else ""
    ends = [current, *(leaf for leaf in leaves if leaf != current)]
    owner: dict[str, int] = {}
    bare: set[str] = set()
    beyond: set[str] = set()
    chats: list[ImportedChat] = []
    left_out = 0
    for end in ends:
        # Only what no leaf before went through is gone through: else a tree with many leaves far down takes hours.
        steps: dict[str, None] = {}
        name = end
        while name in tree and not (name in owner or name in bare or name in beyond or name in steps):
            steps[name] = None
            name = tree[name].parent
        circle = [*steps][[*steps].index(name) :] if name in steps else ()
        new = name in beyond or any(tree[step].message is not None for step in circle)
        is_over = len(chats) > max_branches
        for step in reversed(steps):
            new = new or tree[step].message is not None
            if not new:
                bare.add(step)
            elif is_over:
                beyond.add(step)
        if new and is_over:
            left_out += 1
        elif new:
            path = path_to(tree, end)
            messages = tuple(message for name in path if (message := tree[name].message) is not None)
            came_from = next((owner[name] for name in reversed(path) if name in owner), None)
            for name in path:
                owner.setdefault(name, len(chats))
            chats.append(ImportedChat(messages=messages, came_from=came_from))
    return tuple(chats), left_out


def path_to(tree: Mapping[str, TreeMessage], end: str) -> list[str]:
    """From the root to `end`; a circle ends where it closes."""
    path: dict[str, None] = {}
    while end in tree and end not in path:
        path[end] = None
        end = tree[end].parent
    return [*path][::-1]


# Reading what may be anything -----------------------------------------------------------------------------------------


def mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """The string, without halves of characters that no file can hold; empty for anything else."""
    if not isinstance(value, str):
        return ""
    return value[:MAX_TEXT].encode("utf-8", "replace").decode()


def line(value: object) -> str:
    """A title or a name."""
    return " ".join(text(value).split())[:200]


def joined(texts: Iterable[str]) -> str:
    return "\n\n".join(each for each in texts if each.strip())


def seconds(value: object) -> int:
    """Epoch seconds as milliseconds; 0 for what is no time."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < LATEST_MS:
        return 0
    # Some files count in milliseconds or nanoseconds.
    while value > 100_000_000_000:
        value /= 1000
    return math.floor(value * 1000)


def moment(value: object) -> int:
    """An ISO time as milliseconds; 0 for what is none."""
    try:
        at = datetime.fromisoformat(text(value)).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0
    return seconds(at)
