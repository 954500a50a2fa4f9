"""`talkfield send`, `run`, `link` and `cost`: the canvas that runs, asked from the shell over its HTTP API.

What was asked for goes to standard output, everything else to standard error; the status is 0 only when it was done.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any, Literal
from urllib.parse import quote

import aiohttp

from talkfield.cli import FAILED, say
from talkfield.errors import InvalidArgument, UnknownThing
from talkfield.running import RunningTalkfield

STARTED_WITHIN_S = 3.0
"""A turn that was not refused by then runs; nobody has to wait for its end."""

By = Literal["model", "chat", "day"]


async def with_running(work: Callable[[RunningTalkfield], Awaitable[int]]) -> int:
    """Ask the Talkfield of this data folder. Raises `StartFailed`, `NotAnswered`."""
    async with aiohttp.ClientSession() as http:
        return await work(RunningTalkfield(os.environ, http))


async def send(node: str, text: str, *, wait: bool = True) -> int:
    """Say something in a chat; print its reply, or go on at once. The exit status."""
    return await with_running(lambda talkfield: turn(talkfield, node, text, wait=wait))


async def run_node(node: str, *, wait: bool) -> int:
    """Bring a chat's context up to date, then send what stands in its composer. The exit status."""

    async def work(talkfield: RunningTalkfield) -> int:
        detail = await talkfield.get(f"/api/nodes/{segment(node)}")
        data = detail["node"]["data"]
        text = data.get("draft", "")
        if data.get("draftFiles"):
            raise InvalidArgument("files stand in the chat's composer; send those from the canvas", place="node")
        if not text.strip():
            raise InvalidArgument("nothing stands in the chat's composer: say it with talkfield send", place="node")
        links = (await talkfield.get(f"/api/projects/{segment(detail['project'])}/links"))["links"]
        for link in links:
            if link["target"] == node and link["state"] == "changed" and not link.get("pinned"):
                await deliver(talkfield, detail["project"], link["id"], "")
        return await turn(talkfield, node, text, wait=wait)

    return await with_running(work)


async def turn(talkfield: RunningTalkfield, node: str, text: str, *, wait: bool) -> int:
    limit_s = None if wait else STARTED_WITHIN_S
    try:
        ended = await talkfield.post(f"/api/nodes/{segment(node)}/send", {"text": text}, limit_s=limit_s)
    except TimeoutError:
        return 0
    replies = [message["content"] for message in ended["messages"] if message["role"] in ("assistant", "note")]
    said = "\n\n".join(filter(None, replies))
    if said and wait:
        print(said)
    if ended["ok"] and ended["stopReason"] == "end_turn":
        return 0
    error = ended.get("error") or {"message": f"the reply ended early: {ended['stopReason']}"}
    say(f"{error['message']} {error.get('hint', '')}")
    return FAILED


async def run_link(link: str, allow: str = "") -> int:
    """Let a link deliver. The exit status; why it failed is said."""

    async def work(talkfield: RunningTalkfield) -> int:
        return await deliver(talkfield, await project_of_link(talkfield, link), link, allow)

    return await with_running(work)


async def summarize_link(link: str, model: str, *, wait: bool) -> int:
    """Let a model make the summary that a link delivers; print it. The exit status; what it cost is said."""

    async def work(talkfield: RunningTalkfield) -> int:
        project = await project_of_link(talkfield, link)
        address = f"/api/projects/{segment(project)}/links/{segment(link)}/summary"
        made = await talkfield.post(address, {**recipient(model), "wait": wait})
        if made.get("error"):
            say(f"link {link}: {made['error']}")
            return FAILED
        if wait:
            print(made.get("text", ""))
        say(f"chat {made['chat']}{', ' + made['cost'] if made.get('cost') else ''}")
        return 0

    return await with_running(work)


async def project_of_link(talkfield: RunningTalkfield, link: str) -> str:
    """The project of a link. Raises `UnknownThing`."""
    for project in (await talkfield.get("/api/projects"))["projects"]:
        links = (await talkfield.get(f"/api/projects/{segment(project['id'])}/links"))["links"]
        if any(each["id"] == link for each in links):
            return str(project["id"])
    raise UnknownThing(f"there is no link {link}")


def recipient(model: str) -> dict[str, str]:
    """`PROVIDER=MODEL` or a model of the default provider; nothing: the defaults of Settings."""
    provider, separator, name = model.rpartition("=")
    return {**({"provider": provider} if separator else {}), **({"model": name} if name else {})}


async def deliver(talkfield: RunningTalkfield, project: str, link: str, allow: str) -> int:
    ran = await talkfield.post(f"/api/projects/{segment(project)}/links/{segment(link)}/run", {"allow": allow})
    if ran.get("error"):
        say(f"link {link}: {ran['error']}")
        return FAILED
    say(f"{ran.get('sourceTitle') or ran['source']} → {ran.get('targetTitle') or ran['target']}: {ran['outcome']}")
    return 0


async def cost(by: By, days: int) -> int:
    """Print what was spent, one line each, tabs between. The exit status."""

    async def work(talkfield: RunningTalkfield) -> int:
        lines = await by_chat(talkfield) if by == "chat" else await by_row(talkfield, by, days)
        for name, usd, unpriced in lines:
            more = f"\t{unpriced} unpriced" if unpriced else ""
            print(f"{name}\t${usd:f}{more}")
        if not lines:
            print("nothing was spent", file=sys.stderr)
        for line in await limits(talkfield):
            print(line, file=sys.stderr)
        return 0

    return await with_running(work)


async def limits(talkfield: RunningTalkfield) -> list[str]:
    """How much of each limit is spent, in words (P8)."""
    lines = []
    for project in (await talkfield.get("/api/projects"))["projects"]:
        for budget in (await talkfield.get(f"/api/projects/{segment(project['id'])}/budgets"))["budgets"]:
            if budget.get("limitUsd") is not None and budget.get("present", True):
                of = budget.get("title") or budget.get("node") or f"the project {project['title'] or project['id']}"
                spent, limit = Decimal(budget["spentUsd"]), Decimal(budget["limitUsd"])
                lines.append(
                    f"limit on {of}: ${spent:f} of ${limit:f}{' (most of it)' if budget.get('warned') else ''}"
                )
    return lines


async def by_row(talkfield: RunningTalkfield, by: By, days: int) -> list[tuple[str, Decimal, int]]:
    """By model or day, in the order of the table: the newest day, or what was used last, first."""
    sums: dict[str, tuple[Decimal, int]] = {}
    for row in (await talkfield.get(f"/api/usage?days={days}"))["rows"]:
        name = row["day"] if by == "day" else row["model"] or "(unknown)"
        usd, unpriced = sums.get(name, (Decimal(0), 0))
        sums[name] = usd + Decimal(row["usd"]), unpriced + row["unpriced"]
    return [(name, usd, unpriced) for name, (usd, unpriced) in sums.items()]


async def by_chat(talkfield: RunningTalkfield) -> list[tuple[str, Decimal, int]]:
    """Chats that stand on a canvas and cost something, the dearest first."""
    found = []
    for project in (await talkfield.get("/api/projects"))["projects"]:
        for node in (await talkfield.get(f"/api/projects/{segment(project['id'])}"))["nodes"]:
            if node["data"]["kind"] != "chat":
                continue
            spent: dict[str, Any] = (await talkfield.get(f"/api/nodes/{segment(node['id'])}")).get("cost") or {}
            usd, unpriced = Decimal(spent.get("usd", 0)), spent.get("unpriced", 0)
            if usd or unpriced:
                found.append((f"{node['id']}\t{node.get('title', '')}", usd, unpriced))
    return sorted(found, key=lambda line: line[1], reverse=True)


def segment(name: str) -> str:
    """An id as a part of an address. Raises `UnknownThing` for what is none."""
    if not re.fullmatch(r"[\w.:-]{1,200}", name) or name in (".", ".."):
        raise UnknownThing(f"{name!r} is no id")
    return quote(name, safe="")
