"""Chats and notes as one HTML file that needs nothing else and can do nothing (U13, X3).

All text is escaped and stands as it was written; code is set apart. There is no script, no link and no address in it,
and a policy that forbids whatever a mistake might let through.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from talkfield.core.exporting.base import ExportedNode, ending, speaker
from talkfield.core.messages import Message

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

STYLE = """
:root { color-scheme: light dark; }
body { max-width: 46rem; margin: 2.5rem auto; padding: 0 1.25rem; font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.6rem; } h2 { margin-top: 3rem; font-size: 1.25rem; }
article { margin: 1.25rem 0; padding: 0.75rem 1rem; border: 1px solid #8886; border-radius: 0.75rem; }
article.user { background: #8881; }
h3 { margin: 0 0 0.35rem; font-size: 0.85rem; opacity: 0.75; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
pre { margin: 0.5rem 0; padding: 0.75rem; overflow-x: auto; border-radius: 0.5rem; background: #8882; }
details { opacity: 0.8; } .end { font-style: italic; }
"""

FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")


def to_html(title: str, nodes: Sequence[ExportedNode]) -> str:
    """The whole file. A single node's title is that of the file."""
    single = len(nodes) == 1
    name = nodes[0].title if single else title
    body = [f"<h1>{escaped(name)}</h1>"]
    for node in nodes:
        if not single:
            body.append(f"<h2>{escaped(node.title)}</h2>")
        body += node_parts(node)
    return (
        f'<!doctype html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{escaped(name)}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


def node_parts(node: ExportedNode) -> list[str]:
    parts: list[str] = []
    if node.note is not None:
        parts.append(f'<article class="note">{written(node.note)}</article>')
    if node.system:
        parts.append(f'<article class="system"><h3>System</h3>{written(node.system)}</article>')
    return [*parts, *map(message_part, node.messages)]


def message_part(message: Message) -> str:
    parts = [f"<h3>{escaped(speaker(message))}</h3>"]
    if message.thinking:
        parts.append(f"<details><summary>Thinking</summary>{written(message.thinking)}</details>")
    if message.content:
        parts.append(written(message.content))
    for call in message.tool_calls:
        parts.append(f"<h3>Tool {escaped(call.name)} ({escaped(call.status)})</h3><pre>{escaped(call.args_json)}</pre>")
        if call.result:
            parts.append(f"<pre>{escaped(call.result)}</pre>")
    parts += [f'<p class="text">[{escaped(each.name)}]</p>' for each in message.attachments]
    if words := ending(message):
        parts.append(f'<p class="end">{escaped(words)}</p>')
    return f'<article class="{message.role}">{"".join(parts)}</article>'


def written(text: str) -> str:
    """The text as it was written, with the inside of code fences set apart."""
    parts: list[str] = []
    lines: list[str] = []
    fence = ""

    def close(*, code: bool) -> None:
        body = escaped("\n".join(lines))
        if code:
            parts.append(f"<pre>{body}</pre>")
        elif body.strip():
            parts.append(f'<div class="text">{body}</div>')
        lines.clear()

    for line in text.split("\n"):
        mark = FENCE.match(line)
        if mark and not fence:
            close(code=False)
            fence = mark.group(1)
        elif mark and fence and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            close(code=True)
            fence = ""
        else:
            lines.append(line)
    close(code=bool(fence))
    return "".join(parts)


def escaped(text: str) -> str:
    """The text as HTML text, also good in a quoted attribute; what no document may hold becomes U+FFFD."""
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
        text = text.replace(character, entity)
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]", "\ufffd", text)
