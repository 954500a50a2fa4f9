"""Chats and notes as Markdown. What people and models said is in it as it is, letter by letter (U5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from talkfield.core.exporting.base import ExportedNode, ending, speaker
from talkfield.core.messages import Message


def to_markdown(title: str, nodes: Sequence[ExportedNode]) -> str:
    """The whole file. A single node's title is that of the file."""
    if len(nodes) == 1:
        return "\n\n".join([f"# {nodes[0].title}", *parts_of(nodes[0])]) + "\n"
    parts = [f"# {title}"]
    for node in nodes:
        parts += [f"## {node.title}", *parts_of(node)]
    return "\n\n".join(parts) + "\n"


def parts_of(node: ExportedNode) -> Iterable[str]:
    if node.note is not None:
        yield node.note
    if node.system:
        yield f"**System**\n\n{node.system}"
    for message in node.messages:
        yield message_part(message)


def message_part(message: Message) -> str:
    lines = [f"**{speaker(message)}**"]
    if message.thinking:
        lines.append("\n".join(f"> {line}" for line in message.thinking.splitlines()))
    if message.content:
        lines.append(message.content)
    for call in message.tool_calls:
        lines.append(f"Tool `{call.name}` ({call.status})\n\n{fenced(call.args_json, 'json')}")
        if call.result:
            lines.append(fenced(call.result))
    lines += [f"[{each.name}]" for each in message.attachments]
    if words := ending(message):
        lines.append(f"*{words}*")
    return "\n\n".join(lines)


def fenced(text: str, language: str = "") -> str:
    """A code block that no fence in the text can end."""
    fence = "`" * max(3, 1 + longest_run(text))
    return f"{fence}{language}\n{text}\n{fence}"


def longest_run(text: str) -> int:
    longest = current = 0
    for character in text:
        current = current + 1 if character == "`" else 0
        longest = max(longest, current)
    return longest
