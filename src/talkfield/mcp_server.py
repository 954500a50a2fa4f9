"""`talkfield mcp`: a server of tools for other programs, over its input and output, through the official SDK.

Whoever starts it can see the projects and chats of the Talkfield that runs on this machine, put new chats on a canvas,
and talk in them. It keeps nothing and decides nothing: every request goes to that Talkfield, whose cards stay with the
person in front of it. A new chat or a message is asked about there, too, unless a rule says otherwise (T10).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import aiohttp
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from talkfield import __version__
from talkfield.errors import TalkfieldError
from talkfield.running import RunningTalkfield

LOOKS = ToolAnnotations(read_only_hint=True)
MAX_MESSAGES = 200
MAX_WAIT_S = 3600.0
DECISION_WAIT_S = 600.0
"""How long a card at the canvas waits for a person; what was not decided by then is not done."""

INSTRUCTIONS = (
    "Talkfield is a canvas of chats with language models. A project holds nodes; a node is one chat. Sending a message "
    "costs what the chat's provider charges. A chat whose model wants to use a tool may wait for a person there."
)


def make_server(talkfield: RunningTalkfield) -> MCPServer:
    """The server with its tools, over a Talkfield that runs."""
    server = MCPServer("talkfield", version=__version__, instructions=INSTRUCTIONS)

    @server.tool(annotations=LOOKS)
    async def list_projects() -> list[dict[str, Any]]:
        """List the projects: id, title, and folder where there is one."""
        projects: list[dict[str, Any]] = (await ask(talkfield.get("/api/projects")))["projects"]
        return projects

    @server.tool(annotations=LOOKS)
    async def list_nodes(project: str) -> list[dict[str, Any]]:
        """List the nodes of a project: id, title, kind, and for chats their model."""
        nodes = (await ask(talkfield.get(f"/api/projects/{segment(project)}")))["nodes"]
        return [
            {
                "id": node["id"],
                "title": node.get("title", ""),
                "kind": node["data"]["kind"],
                "model": node["data"].get("model"),
            }
            for node in nodes
        ]

    @server.tool(annotations=LOOKS)
    async def read_transcript(node: str, last: int = 20) -> dict[str, Any]:
        """Read the last messages of a chat, and whether a reply is running in it."""
        detail = await ask(talkfield.get(f"/api/nodes/{segment(node)}"))
        shown = detail["messages"][-max(1, min(last, MAX_MESSAGES)) :]
        return {
            "title": detail["node"].get("title", ""),
            "running": detail["running"],
            "earlier": len(detail["messages"]) - len(shown),
            "messages": [message_of(message) for message in shown],
        }

    @server.tool()
    async def add_node(project: str, title: str = "", system: str = "", model: str | None = None) -> dict[str, Any]:
        """Put a new chat on a project's canvas; gives its id."""
        body = {"title": title, "system": system, "model": model}
        allowed = await allowed_by_person(talkfield, "add_node", body, project=segment(project))
        node = await ask(talkfield.post(f"/api/projects/{segment(project)}/nodes", allowed))
        return {"id": node["id"]}

    @server.tool()
    async def send_message(node: str, text: str, wait_s: float = 600) -> dict[str, Any]:
        """Say something in a chat and wait for the whole reply, at most wait_s seconds; then it goes on by itself."""
        limit_s = max(1.0, min(wait_s, MAX_WAIT_S))
        said = await allowed_by_person(talkfield, "send_message", {"text": text}, node=segment(node))
        try:
            turn = await ask(talkfield.post(f"/api/nodes/{segment(node)}/send", said, limit_s=limit_s))
        except TimeoutError:
            detail = await ask(talkfield.get(f"/api/nodes/{segment(node)}"))
            calls = [call for message in detail["messages"] for call in message.get("toolCalls", ())]
            waits = any(call["status"] == "awaiting" for call in calls)
            return {"done": False, "waits_for_a_person": waits, "running": detail["running"]}
        replies = [message for message in turn["messages"] if message["role"] == "assistant"]
        error = turn.get("error")
        if error is not None:
            raise ToolError(f"the reply failed: {error['message']} {error.get('hint', '')}".strip())
        return {
            "done": True,
            "stop_reason": turn["stopReason"],
            "reply": "\n\n".join(message["content"] for message in replies if message["content"]),
        }

    return server


async def allowed_by_person(
    talkfield: RunningTalkfield, tool: str, arguments: Mapping[str, Any], **where: str
) -> dict[str, Any]:
    """The arguments as a person at the canvas let them through, or a rule did. Raises `ToolError` where none did."""
    body = {"tool": f"talkfield__{tool}", "arguments": arguments, "waitS": DECISION_WAIT_S, **where}
    visit = await ask(talkfield.post("/api/visitor-calls", body))
    if not visit["allowed"]:
        raise ToolError(f"not done: {visit['why']}")
    allowed: dict[str, Any] = visit["arguments"]
    return allowed


async def ask(request: Any) -> Any:
    """The answer; what Talkfield refuses becomes the tool's own error, in Talkfield's words."""
    try:
        return await request
    except TalkfieldError as error:
        raise ToolError(f"{error.message} {error.hint}".strip()) from error


def segment(name: str) -> str:
    """An id as a part of an address. Raises `ToolError` for what is none."""
    if not name or not all(character.isalnum() or character in "_-" for character in name) or len(name) > 100:
        raise ToolError("that is not the id of anything")
    return name


def message_of(message: Mapping[str, Any]) -> dict[str, Any]:
    told = {"role": message["role"], "content": message["content"]}
    calls = [{"tool": call["name"], "status": call["status"]} for call in message.get("toolCalls", ())]
    return {**told, "tool_calls": calls} if calls else told


async def serve(environment: Mapping[str, str]) -> int:
    """Answer on standard input and output until it ends; the exit status."""
    async with aiohttp.ClientSession() as http:
        await make_server(RunningTalkfield(environment, http)).run_stdio_async()
    return 0
