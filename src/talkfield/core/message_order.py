"""The order of a conversation that two sides went on with (W11).

What both have keeps its order. What one side added stands after the message it came after there; where both added at
the same place, whole turns stand in the order of their time, and no turn is torn apart. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from talkfield.core.messages import Message

Turn = list[Message]


def merge_order(
    base: Sequence[Message], ours: Sequence[Message], theirs: Sequence[Message], kept: Collection[str]
) -> list[str]:
    """The ids in `kept`, each once, in an order that both sides can recognise."""
    mine = [message for message in ours if message.id in kept]
    yours = [message for message in theirs if message.id in kept]
    spine = _spine(base, mine, yours)
    common = set(spine)
    here, there = _blocks(mine, common), _blocks(yours, common)
    turn_of: dict[str, str | None] = {message.id: message.turn for message in (*mine, *yours)}
    order: list[str] = []
    for anchor in ("", *spine):
        if anchor:
            order.append(anchor)
        for turn in _joined(here.get(anchor, []), there.get(anchor, []), turn_of.get(anchor)):
            order += [message.id for message in turn]
    return _system_first(order, mine, yours)


def _spine(base: Sequence[Message], mine: Sequence[Message], yours: Sequence[Message]) -> list[str]:
    """What both have, in the order of the side that changed it; ours, where both did."""
    common = {message.id for message in mine} & {message.id for message in yours}
    ours = [message.id for message in mine if message.id in common]
    before = [message.id for message in base if message.id in common]
    return [*(message.id for message in yours if message.id in common)] if ours == before else [*ours]


def _blocks(messages: Sequence[Message], common: set[str]) -> dict[str, list[Message]]:
    """What one side added, by the common message it came after; "" at the beginning."""
    blocks: dict[str, list[Message]] = {}
    anchor = ""
    for message in messages:
        if message.id in common:
            anchor = message.id
        else:
            blocks.setdefault(anchor, []).append(message)
    return blocks


def _joined(ours: Sequence[Message], theirs: Sequence[Message], turn: str | None) -> list[Turn]:
    """Turns of both sides by time; the one that goes on with what stands before comes first."""
    mine, yours = _turns(ours), _turns(theirs)
    joined: list[Turn] = []
    if turn is not None:
        joined += [side.pop(0) for side in (mine, yours) if side and side[0][0].turn == turn]
    while mine and yours:
        joined.append((yours if yours[0][0].ts < mine[0][0].ts else mine).pop(0))
    return [*joined, *mine, *yours]


def _turns(messages: Sequence[Message]) -> list[Turn]:
    """A user message and all up to the next one; what has the same turn id stays together."""
    turns: list[Turn] = []
    for message in messages:
        same = bool(turns) and message.turn is not None and turns[-1][-1].turn == message.turn
        if turns and (same or message.role != "user"):
            turns[-1].append(message)
        else:
            turns.append([message])
    return turns


def _system_first(order: list[str], mine: Sequence[Message], yours: Sequence[Message]) -> list[str]:
    for side in (mine, yours):
        if side and side[0].role == "system":
            return [side[0].id, *(name for name in order if name != side[0].id)]
    return order
