"""What the history window costs in a long conversation, and reading and writing one (C7, C8).

`python benchmarks/bench_window.py [--rounds 7]`; needs no network and about a minute.

The naive way is the obvious one: serialise the whole conversation with `json`, and while it is too long, drop the
oldest turn and serialise again. Ours walks from the newest message back; with sizes that are kept beside the messages
it measures nothing. Each figure is the median CPU time of a call over rounds that take every way in turn. All ways must
keep the same messages. The program fails when a ratio is off: times depend on the machine, ratios hardly.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import time
from collections.abc import Callable, Sequence

import msgspec

from figures import tell
from talkfield.core.ids import CallId, MessageId, TurnId
from talkfield.core.messages import Message, ToolCall, Usage
from talkfield.core.serialization import ConversationData, deserialize_conversation, serialize_conversation
from talkfield.core.window import DEFAULT_MAX_BYTES, cap_conversation_messages, message_bytes

COUNTS = (100, 1_000, 10_000)
NAIVE_LIMIT = 1_000
"""Above it the naive way takes minutes a call."""
LEAST_GAIN = 1_000
"""How many times the naive way a call with kept sizes must beat at 1,000 messages."""
MOST_GROWTH = 1.5
"""How many times a call with kept sizes may take at 10,000 messages what it takes at 1,000."""


def conversation(count: int) -> tuple[Message, ...]:
    """Turns of a question and an answer, about 1 KB each, some of it not ASCII, every fourth with a tool call."""
    messages = []
    for number in range(0, count, 2):
        turn = TurnId(f"turn{number}")
        call = ToolCall(id=CallId(f"call{number}"), name="look", args_json='{"at":"sky"}', status="done", result="blue")
        messages.append(
            Message(id=MessageId(f"u{number}"), role="user", content=f"为什么 {number}? " * 8, ts=number, turn=turn)
        )
        messages.append(
            Message(
                id=MessageId(f"a{number}"),
                role="assistant",
                content="Because the sky scatters short waves more than long ones. 🙂 " * 12,
                ts=number,
                turn=turn,
                usage=Usage(input_tokens=900, output_tokens=200),
                model="gpt-4o",
                tool_calls=(call,) if number % 8 == 0 else (),
            )
        )
    return tuple(messages)


def naive(messages: Sequence[Message], max_bytes: int) -> list[Message]:
    """Serialise, drop a turn, serialise again."""
    kept = list(messages)
    while len(json.dumps(plain(kept), ensure_ascii=False, separators=(",", ":")).encode()) > max_bytes:
        next_turn = next((place for place in range(1, len(kept)) if kept[place].role == "user"), None)
        if next_turn is None:
            break
        del kept[:next_turn]
    return kept


def plain(messages: Sequence[Message]) -> dict[str, object]:
    return {"v": 1, "messages": msgspec.to_builtins(messages)}


def milliseconds(work: Callable[[], object], calls: int) -> float:
    started = time.process_time()
    for _ in range(calls):
        work()
    return (time.process_time() - started) / calls * 1e3


def main() -> None:
    arguments = argparse.ArgumentParser(description="What the history window costs.")
    arguments.add_argument("--rounds", type=int, default=7)
    rounds = arguments.parse_args().rounds
    print(f"History window of {DEFAULT_MAX_BYTES // 1024} KiB: CPU ms a call, median of {rounds} rounds")
    print(f"{'messages':>9} {'naive':>10} {'measuring':>10} {'kept sizes':>10} {'write':>8} {'read':>8} {'kept':>6}")
    kept_sizes: dict[int, float] = {}
    naive_ms: dict[int, float] = {}
    for count in COUNTS:
        messages = conversation(count)
        sizes = [message_bytes(message) for message in messages]
        data = ConversationData(id="c", created_at=0, messages=messages)
        text = serialize_conversation(data)
        window = cap_conversation_messages(messages, sizes=sizes)
        assert window == cap_conversation_messages(messages)
        assert count > NAIVE_LIMIT or list(window.messages) == naive(messages, DEFAULT_MAX_BYTES)
        ways: dict[str, tuple[Callable[[], object], int]] = {
            "measuring": (lambda: cap_conversation_messages(messages), 20),  # noqa: B023 (called within the loop)
            "kept sizes": (lambda: cap_conversation_messages(messages, sizes=sizes), 200),  # noqa: B023
            "write": (lambda: serialize_conversation(data), 3),  # noqa: B023
            "read": (lambda: deserialize_conversation(text), 2),  # noqa: B023
        }
        if count <= NAIVE_LIMIT:
            ways["naive"] = (lambda: naive(messages, DEFAULT_MAX_BYTES), 1)  # noqa: B023
        figures: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(rounds):
            for name, (work, calls) in ways.items():
                figures[name].append(milliseconds(work, calls))
        median = {name: statistics.median(values) for name, values in figures.items()}
        kept_sizes[count] = median["kept sizes"]
        naive_ms[count] = median.get("naive", math.nan)
        shown = "-" if math.isnan(naive_ms[count]) else f"{naive_ms[count]:.2f}"
        print(
            f"{count:>9} {shown:>10} {median['measuring']:10.3f} {median['kept sizes']:10.4f} "
            f"{median['write']:8.2f} {median['read']:8.2f} {len(window.messages):>6}"
        )
    gain = naive_ms[1_000] / kept_sizes[1_000]
    growth = kept_sizes[10_000] / kept_sizes[1_000]
    print(f"kept sizes against naive at 1,000: {gain:,.0f} times faster (at least {LEAST_GAIN:,})")
    print(f"kept sizes at 10,000 against 1,000: {growth:.2f} times (at most {MOST_GROWTH})")
    faster = tell("window by kept sizes, against serialising, at 1,000 messages", gain, at_least=LEAST_GAIN)
    flat = tell("window by kept sizes, 10,000 messages against 1,000", growth, at_most=MOST_GROWTH)
    if not faster or not flat:
        raise SystemExit("a ratio is off")


if __name__ == "__main__":
    main()
