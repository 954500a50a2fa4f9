"""A tool server in plain Python, that starts at once and misbehaves as it is told: `mcp_program.py <behaviour> …`."""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

TOOLS = [
    {
        "name": "add",
        "description": "Adds two numbers.\u202e",
        "inputSchema": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        },
    },
    {
        "name": "say",
        "description": "",
        "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True},
    },
    {"name": "die", "inputSchema": {"type": "object"}},
    {"name": "fail", "inputSchema": {"type": "object"}},
    {"name": "hang", "inputSchema": {"type": "object"}},
    {"name": "grow", "inputSchema": {"type": "object"}},
]


def answer(identifier: Any, result: Any = None, error: Any = None) -> None:
    body = {"jsonrpc": "2.0", "id": identifier}
    body |= {"error": error} if error else {"result": result}
    sys.stdout.write(json.dumps(body) + "\n")
    sys.stdout.flush()


def text(words: str, *, is_error: bool = False) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}], "isError": is_error}


def call(identifier: Any, name: str, arguments: dict[str, Any]) -> None:
    match name:
        case "add":
            answer(identifier, text(str(arguments["a"] + arguments["b"])))
        case "say":
            answer(identifier, text(json.dumps({"cwd": os.getcwd(), "env": sorted(os.environ), **arguments})))
        case "fail":
            answer(identifier, text("it went wrong", is_error=True))
        case "die":
            sys.stderr.write("I am dying\n")
            sys.stderr.flush()
            os._exit(3)
        case "hang":
            threading.Event().wait(600)
        case "grow":
            TOOLS.append({"name": f"new{len(TOOLS)}", "inputSchema": {"type": "object"}})
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}) + "\n")
            answer(identifier, text("grown"))
        case _:
            answer(identifier, error={"code": -32602, "message": f"no tool {name}"})


def tools_of(behaviour: str, cursor: str | None) -> dict[str, Any]:
    if behaviour == "odd":
        odd = [
            {"name": "x" * 100, "inputSchema": {"type": "object"}},
            {"name": "x" * 101, "inputSchema": {"type": "object"}},
            {"name": "with space", "inputSchema": {"type": "object"}},
            {"name": "with_space", "inputSchema": {"type": "object"}},
            {"name": "huge", "inputSchema": {"type": "object", "description": "y" * 100_000}},
            {"name": "remote", "inputSchema": {"type": "object", "$ref": "http://192.0.2.1/schema.json"}},
        ]
        return {"tools": odd}
    if behaviour == "many":
        page = int(cursor or 0)
        tools = [{"name": f"t{page * 50 + number}", "inputSchema": {"type": "object"}} for number in range(50)]
        return {"tools": tools, "nextCursor": str(page + 1)}
    return {"tools": TOOLS}


def main(behaviour: str) -> None:
    if behaviour == "broken":
        sys.stderr.write("no such \x1b[31mmodule\n")
        sys.exit(1)
    if behaviour == "silent":
        threading.Event().wait(600)
    if behaviour == "garbage":
        sys.stdout.write("hello, I am no server\n" * 3)
        sys.stdout.flush()
    if behaviour == "stubborn":
        import signal

        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        message = json.loads(line)
        identifier, method, given = message.get("id"), message.get("method"), message.get("params") or {}
        if identifier is None:
            continue
        if method == "initialize":
            if behaviour == "slow":
                threading.Event().wait(float(sys.argv[2]))
            answer(
                identifier,
                {
                    "protocolVersion": given["protocolVersion"],
                    "capabilities": {"tools": {"listChanged": True}},
                    "serverInfo": {"name": "program", "version": "1"},
                },
            )
        elif method == "tools/list":
            answer(identifier, tools_of(behaviour, given.get("cursor")))
        elif method == "tools/call":
            call(identifier, given["name"], given.get("arguments") or {})
        elif method == "ping":
            answer(identifier, {})
        else:
            answer(identifier, error={"code": -32601, "message": "Method not found"})
    if behaviour == "stubborn":
        threading.Event().wait(600)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
