"""Draws the table of the turn machine into docs/spec/turn.mmd, as a Mermaid state diagram; `--check` only compares.

What the machine ignores is left out: a late click changes nothing, and an arrow for it would say otherwise.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from talkfield.core.turn import TABLE, State, Turn

TARGET = Path(__file__).resolve().parent.parent / "docs" / "spec" / "turn.mmd"

ABOUT = {
    State.READY: "not begun",
    State.STREAMING: "a provider call is open",
    State.SETTLING: "calls wait for a decision or their result",
    State.ENDED: "done was said",
}


def words(name: str) -> str:
    """`TextArrived` as `text arrived`."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", name).lower()


def drawing() -> str:
    arrows: dict[tuple[State, State], list[str]] = {(State.READY, State.STREAMING): ["start"]}
    for (state, kind), row in TABLE.items():
        if row.handler is Turn._ignore:
            continue
        for target in row.to:
            arrows.setdefault((state, target), []).append(words(kind.__name__))
    lines = ["stateDiagram-v2", "    [*] --> ready"]
    lines += [f"    {state.value}: {state.value} ({about})" for state, about in ABOUT.items()]
    lines += [f"    {start.value} --> {end.value}: {', '.join(inputs)}" for (start, end), inputs in arrows.items()]
    lines.append("    ended --> [*]")
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    text = drawing()
    if "--check" in arguments:
        if not TARGET.exists() or TARGET.read_text() != text:
            print("docs/spec/turn.mmd is out of date; run: make types", file=sys.stderr)
            return 1
        return 0
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
