"""Ids. Every id is a string that is unique in its project; the types say what it names.

The core never makes one up (architecture law 6): whoever drives it passes an `Ids`.
"""

from __future__ import annotations

from typing import Literal, NewType, Protocol

ProjectId = NewType("ProjectId", str)
NodeId = NewType("NodeId", str)
EdgeId = NewType("EdgeId", str)
MessageId = NewType("MessageId", str)
CallId = NewType("CallId", str)
TurnId = NewType("TurnId", str)
ProviderId = NewType("ProviderId", str)
RuleId = NewType("RuleId", str)
RecordId = NewType("RecordId", str)
"""Any of the above, where a change only says which record it is about."""

IdKind = Literal["project", "node", "edge", "message", "call", "turn", "attachment", "rule"]


class Ids(Protocol):
    """Hands out a new id of a kind at each call: random in the product, counted in tests."""

    def __call__(self, kind: IdKind, /) -> str: ...
