"""`talkfield fan-out` and `merge-replies`: several chats of the canvas that runs, asked from the shell (L4).

What was asked for goes to standard output: the replies, or without waiting the ids of the chats, which standard error
has otherwise. The status is 0 only when every reply came to its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from talkfield.canvas_commands import recipient, segment, with_running
from talkfield.cli import FAILED, say
from talkfield.errors import UnknownThing
from talkfield.running import RunningTalkfield


async def fan_out(text: str, models: Sequence[str], node: str, project: str, *, wait: bool) -> int:
    """Ask several models the same, each in a new chat. The exit status."""

    async def work(talkfield: RunningTalkfield) -> int:
        body: dict[str, Any] = {"text": text, "models": [recipient(each) for each in models or [""]], "wait": wait}
        if node:
            body["node"] = node
        where = project or await project_of(talkfield, node)
        made = await talkfield.post(f"/api/projects/{segment(where)}/fan-out", body)
        return show(made["chats"], wait=wait)

    return await with_running(work)


async def merge_replies(nodes: Sequence[str], instruction: str, model: str, *, wait: bool) -> int:
    """Ask about what several nodes said last, in one new chat. The exit status."""

    async def work(talkfield: RunningTalkfield) -> int:
        where = await project_of(talkfield, nodes[0])
        body = {"nodes": list(nodes), "instruction": instruction, "wait": wait, **recipient(model)}
        made = await talkfield.post(f"/api/projects/{segment(where)}/merge", body)
        return show(made["chats"], wait=wait)

    return await with_running(work)


async def project_of(talkfield: RunningTalkfield, node: str) -> str:
    """The project that a node is in; without one the project that was opened last. Raises `UnknownThing`."""
    if node:
        found: str = (await talkfield.get(f"/api/nodes/{segment(node)}"))["project"]
        return found
    projects = (await talkfield.get("/api/projects"))["projects"]
    if not projects:
        raise UnknownThing("there is no project yet")
    newest: str = projects[0]["id"]
    return newest


def show(chats: Sequence[dict[str, Any]], *, wait: bool) -> int:
    ids = " ".join(chat["id"] for chat in chats)
    if not wait:
        print(ids)
        return 0
    say(f"chats {ids}")
    print("\n\n".join(f"# {chat['title']}\n\n{chat.get('reply', '')}".rstrip() for chat in chats))
    failed = [chat for chat in chats if chat.get("error")]
    for chat in failed:
        say(f"{chat['title']}: {chat['error']}")
    return FAILED if failed else 0
