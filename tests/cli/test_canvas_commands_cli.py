"""`talkfield send`, `run`, `link run` and `cost`: a canvas that runs, asked from the shell (L1)."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from cli.terminal import environment, opened, run
from talkfield.storage.folder import DataFolder
from talkfield.storage.lock import holder_of
from talkfield.wire import PROTOCOL_VERSION


def ask(home: Path, *commands: dict[str, Any]) -> list[str]:
    """Commands of a person's browser; the ids that they made."""

    data = DataFolder.locate(environment(home))
    holder = holder_of(data.lock().path)
    assert holder is not None
    url, headers = holder.url, {"Authorization": f"Bearer {data.token.read_text().strip()}"}

    async def talk() -> list[str]:
        made: list[str] = []
        async with (
            aiohttp.ClientSession(headers=headers) as http,
            http.ws_connect(f"{url}/api/channel") as socket,
        ):
            await socket.send_json({"type": "hello", "protocol": PROTOCOL_VERSION})
            for number, command in enumerate(commands):
                filled = {
                    name: made[int(value[1:])] if isinstance(value, str) and value.startswith("$") else value
                    for name, value in command.items()
                }
                await socket.send_json({"type": "do", "id": str(number), "command": filled})
                while (answer := await socket.receive_json())["type"] not in ("ack", "rejected"):
                    pass
                assert answer["type"] == "ack", answer
                made += answer.get("made", ())
        return made

    return asyncio.run(talk())


def test_L1_a_canvas_is_worked_from_the_shell(own_home: Path) -> None:
    with opened(own_home):
        note, chat, link = ask(
            own_home,
            {"do": "addNode", "kind": "sticky", "x": 0, "y": 0, "text": "use tabs", "title": "Plan"},
            {"do": "addNode", "kind": "chat", "x": 0, "y": 0, "title": "Work"},
            {"do": "addEdge", "source": "$0", "target": "$1"},
        )
        ran = run(own_home, "link", "run", link)
        assert (ran.status, ran.out, ran.err) == (0, "", "talkfield: Plan → Work: added\n")
        said = run(own_home, "send", chat, "hello")
        assert (said.status, said.out) == (0, "echo: hello\n")
        ask(
            own_home,
            {"do": "editSticky", "node": note, "text": "use spaces"},
            {"do": "saveDraft", "node": chat, "text": "again"},
        )
        went = run(own_home, "run", chat, "--wait")
        assert (went.status, went.out) == (0, "echo: again\n")
        assert "replaced what it said before" in went.err
        spent = run(own_home, "cost", "--by", "chat")
        assert spent.status == 0
        assert spent.out.startswith(f"{chat}\tWork\t$")
        for by in ("model", "day"):
            assert run(own_home, "cost", "--by", by).out.count("\n") == 1
        for wrong in (("link", "run", "nothing"), ("send", "nobody", "x"), ("send", "../x", "x"), ("run", chat)):
            ended = run(own_home, *wrong)
            assert (ended.status, ended.out) == (1, "")
            assert ended.err.count("\n") == 1


def test_L1_a_summary_is_made_from_the_shell(own_home: Path) -> None:
    with opened(own_home):
        _note, _chat, link = ask(
            own_home,
            {"do": "addNode", "kind": "sticky", "x": 0, "y": 0, "text": "a long text", "title": "Plan"},
            {"do": "addNode", "kind": "chat", "x": 0, "y": 0},
            {"do": "addEdge", "source": "$0", "target": "$1"},
        )
        refused = run(own_home, "link", "summarize", link)
        assert (refused.status, refused.out, "delivers no summary" in refused.err) == (1, "", True)
        ask(own_home, {"do": "editLink", "edge": link, "behavior": {"kind": "injectContext", "part": "summary"}})
        made = run(own_home, "link", "summarize", link)
        assert (made.status, made.out.startswith("echo: ")) == (0, True)
        assert re.fullmatch(r"talkfield: chat \S+, \$[\d.]+\n", made.err)
        begun = run(own_home, "link", "summarize", link, "--no-wait")
        assert (begun.status, begun.out) == (0, "")


def test_P8_limits_are_told_with_what_was_spent(own_home: Path) -> None:
    with opened(own_home):
        (chat, *_) = ask(
            own_home,
            {"do": "addNode", "kind": "chat", "x": 0, "y": 0, "title": "Dear"},
            {"do": "setBudget", "node": "$0", "limitUsd": "2.50"},
            {"do": "setBudget", "limitUsd": "0"},
        )
        spent = run(own_home, "cost")
        assert (spent.status, spent.out) == (0, "")
        assert (
            spent.err
            == "nothing was spent\nlimit on Dear: $0 of $2.5\nlimit on the project My canvas: $0 of $0 (most of it)\n"
        )
        refused = run(own_home, "send", chat, "hello")
        assert (refused.status, refused.out) == (1, "")
        assert "There is a limit of $2.50" in refused.err


def test_L4_several_models_are_asked_and_merged_from_the_shell(own_home: Path) -> None:
    with opened(own_home):
        asked = run(own_home, "fan-out", "hello", "--model", "scripted-1", "--model", "scripted=scripted-2")
        assert (asked.status, asked.out) == (
            0,
            "# hello · scripted-1\n\necho: hello\n\n# hello · scripted-2\n\necho: hello\n",
        )
        _, _, one, two = asked.err.split()
        united = run(own_home, "merge-replies", one, two, "--instruction", "both")
        assert (united.status, united.out) == (0, "# Merge of 2\n\necho: both\n")
        further = run(own_home, "fan-out", "further", "--node", one, "--no-wait")
        assert (further.status, len(further.out.split()), further.err) == (0, 1, "")
        ended = run(own_home, "merge-replies", one)
        assert (ended.status, ended.out, ended.err.count("\n")) == (1, "", 1)


@pytest.mark.parametrize(
    "command",
    [
        ("send", "n", "x"),
        ("run", "n"),
        ("link", "run", "l"),
        ("cost",),
        ("fan-out", "x"),
    ],
)
def test_X5_without_a_canvas_that_runs_the_shell_is_told_so(own_home: Path, command: tuple[str, ...]) -> None:
    ended = run(own_home, *command)
    assert (ended.status, ended.err) == (
        1,
        "talkfield: Talkfield does not run on this machine. Start it with: talkfield open\n",
    )
