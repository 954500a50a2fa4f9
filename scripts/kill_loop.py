"""Kills a real server at random moments, and looks whether anything that was acknowledged is lost or doubled (W8).

`python scripts/kill_loop.py --rounds 200 [--seed 1]`. Each round a client does what people do (says things, lets
replies stream, opens cards, decides on them, queues, types, moves, edits, deletes, undoes), the server gets a SIGKILL
somewhere in between, and a new one is started on the same folder. Then:

* the project is what it was after some commit at or after the last acknowledged command, with what was cut marked so;
* of a streaming reply at most a quarter of a second is missing (and what the disk took to write it);
* whatever was said to the end is in the project or on the shelf;
* no tool ran twice, and every one whose approval was acknowledged has run or says that its outcome is unknown;
* the database passes its own integrity check, and the project's file can be read whole.

Everything is decided by `--seed` but for what the machine's timing decides. Ends with status 1 at the first violation,
leaves the folder and says where it is.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect

from talkfield import wire
from talkfield.core.document import Document
from talkfield.core.messages import FINAL_STATUSES
from talkfield.core.nodes import StickyData
from talkfield.core.project import load_project
from talkfield.core.records import (
    EdgeRecord,
    MessageRecord,
    NodeRecord,
    QueuedRecord,
    Record,
    RunRecord,
    ToolCallRecord,
    in_document,
)
from talkfield.core.recovery import recover
from talkfield.wire import client as ask
from talkfield.wire.server import Ack, Frames, Rejected, ServerMessage, Welcome

START_LIMIT_S = 60.0
PROMISED_LOSS_S = 0.25
DISK_SLACK_S = 0.5
"""What a busy machine may need besides to take a write; what really was lost is measured and told."""

MOST_NODES = 12
Records = dict[str, Record]


class Broken(Exception):
    """A promise was not kept."""


class Server:
    """`talkfield open` on a folder, as a process that can be killed."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.home, self.folder = home, folder
        self.process: subprocess.Popen[str] | None = None
        self.url = ""

    def start(self) -> float:
        """Start it; how long it took until it was ready, in seconds."""
        begun = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "talkfield", "open", "--no-browser", "--port", "0", str(self.folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "TALKFIELD_HOME": str(self.home),
                "TALKFIELD_SCRIPTED": "1",
                "TALKFIELD_DISCOVER": "0",
                "TALKFIELD_LOCAL_MODEL": "0",
                "TALKFIELD_KEYRING": "0",
                "PYTHONUNBUFFERED": "1",
            },
        )
        stuck = threading.Timer(START_LIMIT_S, self.process.kill)
        stuck.start()
        assert self.process.stdout is not None
        found = re.search(r"http://[^/]+", self.process.stdout.readline())
        stuck.cancel()
        if found is None:
            _, said = self.process.communicate()
            raise Broken(f"the server did not start: {said}")
        self.url = found[0]
        return time.perf_counter() - begun

    def signal(self, number: signal.Signals) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)

    def ended(self, limit_s: float = 30.0) -> str:
        """Wait for its end; what it said on standard error."""
        assert self.process is not None
        _, said = self.process.communicate(timeout=limit_s)
        return said

    @property
    def token(self) -> str:
        return (self.home / "api-token").read_text("ascii").strip()

    def get(self, path: str) -> Any:
        request = urllib.request.Request(f"{self.url}{path}", headers={"Authorization": f"Bearer {self.token}"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=30) as answer:
            return json.load(answer)


@dataclass
class Moment:
    """The project as it was after a frame, and when that frame came."""

    seq: int
    at: float
    records: Records


class Browser:
    """A client with a mirror. `history` holds every state it has seen in this life of the server."""

    def __init__(self, server: Server) -> None:
        self.server = server
        address = server.url.replace("http", "ws", 1) + "/api/channel"
        headers = {"Authorization": f"Bearer {server.token}"}
        self._open = ExitStack()
        connection = connect(address, additional_headers=headers, max_size=None, open_timeout=30, close_timeout=1)
        self.socket: ClientConnection = self._open.enter_context(connection)
        self.count = 0
        self.socket.send(wire.encode(ask.Hello(protocol=wire.PROTOCOL_VERSION)).decode())
        welcome = self._next(30)
        if not isinstance(welcome, Welcome) or welcome.records is None:
            raise Broken(f"no welcome: {welcome}")
        self.project = welcome.project
        self.document = Document(welcome.records)
        self.seq = welcome.seq
        self.acked = welcome.seq
        self.history = [Moment(self.seq, time.monotonic(), saved(self.document))]

    def _next(self, timeout_s: float) -> ServerMessage | None:
        try:
            return wire.decode_server(self.socket.recv(timeout=timeout_s))
        except TimeoutError:
            return None

    def take(self, message: ServerMessage | None) -> None:
        """Apply what came to the mirror. Raises `Broken` where the channel's rules are not kept."""
        if not isinstance(message, Frames):
            return
        for frame in message.frames:
            if (frame.first or frame.seq) != self.seq + 1:
                raise Broken(f"frame {frame.first or frame.seq} after {self.seq}")
            self.document.apply(frame.changes)
            self.seq = frame.seq
            self.history.append(Moment(self.seq, time.monotonic(), saved(self.document)))

    def watch(self, seconds: float) -> None:
        """Let frames come for a while."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.take(self._next(left))

    def do(self, command: ask.Command) -> Ack | Rejected:
        """Ask for something and wait for its answer and for its effects."""
        self.count += 1
        name = f"{os.getpid()}-{id(self)}-{self.count}"
        self.socket.send(wire.encode(ask.Do(id=name, command=command)).decode())
        while True:
            message = self._next(30)
            if message is None:
                raise Broken(f"no answer to {type(command).__name__} in 30 s")
            self.take(message)
            if isinstance(message, Ack | Rejected) and message.id == name:
                if isinstance(message, Ack):
                    while self.seq < message.seq:
                        self.take(self._next(30))
                    self.acked = message.seq
                return message

    def acknowledged(self) -> Moment:
        """The project as of the last answer: all of it is on the disk."""
        return next(moment for moment in reversed(self.history) if moment.seq <= self.acked)

    def close(self) -> None:
        self._open.close()


def saved(document: Document) -> Records:
    return {record.id: record for record in document if in_document(record)}


def after_a_crash(records: Records) -> Records:
    """What a new process makes of these."""
    document = Document(records.values())
    document.apply(recover(document))
    return saved(document)


# What people do -------------------------------------------------------------------------------------------------------


@dataclass
class Person:
    """Does random things, and remembers what of them may not be lost."""

    random: random.Random
    browser: Browser
    asked: dict[str, set[str]] = field(default_factory=dict)
    """Calls that were approved, acknowledged or not, by the token of what they run: to ask again runs it again."""
    approved: set[str] = field(default_factory=set)
    said: set[str] = field(default_factory=set)
    done: Counter[str] = field(default_factory=Counter)
    doing: ask.Command | None = None

    @property
    def document(self) -> Document:
        return self.browser.document

    def act(self) -> None:
        """One thing, and a look at what is there. Raises `ConnectionClosed` when the server is gone."""
        names, weights = zip(*WEIGHTS.items(), strict=True)
        name = self.random.choices(names, weights)[0]
        command = getattr(self, name)()
        if command is None:
            self.browser.watch(self.random.uniform(0, 0.1))
            return
        self.doing = command
        if isinstance(command, ask.DecideCall) and command.decision == "approve":
            call = self.document.get(command.call)
            assert isinstance(call, ToolCallRecord)
            self.asked.setdefault(token_of(call), set()).add(call.id)
        answer = self.browser.do(command)
        self.doing = None
        self.done[name if isinstance(answer, Ack) else f"{name} refused"] += 1
        if isinstance(command, ask.DecideCall) and command.decision == "approve" and isinstance(answer, Ack):
            self.approved.add(command.call)
        self.said |= finished_texts(self.browser.acknowledged().records)
        if self.random.random() < 0.5:
            self.browser.watch(self.random.uniform(0, 0.4))

    def chats(self) -> list[NodeRecord]:
        return [node for node in self.document.nodes() if not isinstance(node.data, StickyData)]

    def pick(self, values: Iterable[Any]) -> Any:
        found = list(values)
        return self.random.choice(found) if found else None

    def records(self, kind: type[Any]) -> list[Any]:
        return [record for record in self.document if isinstance(record, kind)]

    def add(self) -> ask.Command | None:
        if len(self.document.nodes()) >= MOST_NODES:
            return self.remove()
        kind = self.random.choice(["chat", "chat", "sticky"])
        return ask.AddNode(kind=kind, x=self.random.randrange(2000), y=self.random.randrange(2000))  # type: ignore[arg-type]

    def remove(self) -> ask.Command | None:
        node = self.pick(self.document.nodes())
        return ask.RemoveNodes(nodes=(node.id,)) if node and len(self.document.nodes()) > 3 else None

    def move(self) -> ask.Command | None:
        node = self.pick(self.document.nodes())
        place = (self.random.randrange(2000), self.random.randrange(2000))
        return ask.PlaceNodes(places=(ask.NodePlace(id=node.id, x=place[0], y=place[1]),)) if node else None

    def rename(self) -> ask.Command | None:
        node = self.pick(self.document.nodes())
        return ask.RenameNode(node=node.id, title=f"title {self.random.random()}") if node else None

    def link(self) -> ask.Command | None:
        nodes = [node.id for node in self.document.nodes()]
        if len(nodes) < 2:
            return None
        source, target = self.random.sample(nodes, 2)
        return ask.AddEdge(source=source, target=target)

    def unlink(self) -> ask.Command | None:
        edge = self.pick(self.records(EdgeRecord))
        return ask.RemoveEdges(edges=(edge.id,)) if edge else None

    def draft(self) -> ask.Command | None:
        node = self.pick(self.chats())
        return ask.SaveDraft(node=node.id, text=f"draft {self.random.random()}") if node else None

    def stream(self) -> ask.Command | None:
        node = self.pick(self.chats())
        words = self.random.randrange(20, 200)
        marked = f"mark {self.random.randrange(10**9)}\nstream {words} words at 60/s"
        return ask.SendMessage(node=node.id, text=marked) if node else None

    def short(self) -> ask.Command | None:
        node = self.pick(self.chats())
        return ask.SendMessage(node=node.id, text=f"stream 3 words at once\n{self.random.random()}") if node else None

    def tool(self) -> ask.Command | None:
        node = self.pick(self.chats())
        if node is None:
            return None
        lines = []
        for _ in range(self.random.randrange(1, 3)):
            token = f"token-{self.random.randrange(10**12)}"
            script = f"echo {token} >> ran.log; sleep {self.random.choice([0, 0, 0.4])}"
            lines.append(f"call run_command {json.dumps({'command': ['sh', '-c', script]})}")
        return ask.SendMessage(node=node.id, text="\n".join(lines))

    def decide(self) -> ask.Command | None:
        call = self.pick(call for call in self.records(ToolCallRecord) if call.status == "awaiting")
        if call is None:
            return self.tool()
        decision = self.random.choice(["approve", "approve", "deny"])
        return ask.DecideCall(node=call.node_id, call=call.id, decision=decision)  # type: ignore[arg-type]

    def queue_edit(self) -> ask.Command | None:
        queued = self.pick(self.records(QueuedRecord))
        return ask.EditQueued(queued=queued.id, text=f"queued {self.random.random()}") if queued else None

    def queue_remove(self) -> ask.Command | None:
        queued = self.pick(self.records(QueuedRecord))
        return ask.RemoveQueued(queued=queued.id) if queued else None

    def stop(self) -> ask.Command | None:
        run = self.pick(self.records(RunRecord))
        return ask.StopTurn(node=run.node_id) if run else None

    def clear(self) -> ask.Command | None:
        node = self.pick(self.chats())
        return ask.SendMessage(node=node.id, text="/clear") if node else None

    def undo(self) -> ask.Command | None:
        return ask.Undo()

    def redo(self) -> ask.Command | None:
        return ask.Redo()

    def go_on(self) -> ask.Command | None:
        cut = [message.node_id for message in self.records(MessageRecord) if message.error is not None]
        node = self.pick(cut)
        if node is None:
            return None
        return ask.ContinueTurn(node=node) if self.random.random() < 0.5 else ask.RetryTurn(node=node)

    def again(self) -> ask.Command | None:
        message = self.pick(message for message in self.records(MessageRecord) if message.role != "note")
        if message is None or len(self.document.nodes()) >= MOST_NODES:
            return None
        if message.role == "user":
            return ask.EditMessage(message=message.id, text=f"edited {self.random.random()}")
        return ask.RegenerateReply(message=message.id)

    def remove_message(self) -> ask.Command | None:
        message = self.pick(self.records(MessageRecord))
        return ask.RemoveMessage(message=message.id) if message else None


WEIGHTS = {
    "add": 2,
    "remove": 1,
    "move": 2,
    "rename": 1,
    "link": 1,
    "unlink": 1,
    "draft": 3,
    "stream": 6,
    "short": 2,
    "tool": 4,
    "decide": 6,
    "queue_edit": 1,
    "queue_remove": 1,
    "stop": 1,
    "clear": 1,
    "undo": 2,
    "redo": 2,
    "go_on": 3,
    "again": 2,
    "remove_message": 1,
}
"""How often each thing is done."""


def finished_texts(records: Records) -> set[str]:
    """Replies that came to their end: nothing of them may ever be lost."""
    messages = [record for record in records.values() if isinstance(record, MessageRecord)]
    return {each.content for each in messages if each.role == "assistant" and each.finish == "stop" and each.content}


# What must hold -------------------------------------------------------------------------------------------------------


@dataclass
class Loss:
    """How much of a reply a kill cost, in seconds of its arriving, where it could be told."""

    seconds: float = 0.0
    beyond: bool = False
    """The disk had more than the client had seen."""


def compare(history: list[Moment], acked: int, now: Records, doing: ask.Command | None, killed_at: float) -> Loss:
    """Find the commit that the disk stood at. Raises `Broken` where there is none at or after `acked`."""
    candidates = [moment for moment in history if moment.seq >= acked]
    states = [after_a_crash(moment.records) for moment in candidates]
    for index in range(len(candidates) - 1, -1, -1):
        following = states[index + 1] if index + 1 < len(states) else states[index]
        if between(states[index], now, following):
            lost = candidates[index + 1 :]
            return Loss(killed_at - lost[0].at if lost else 0.0)
    problem = difference(after_a_crash(candidates[-1].records), now, doing)
    if problem:
        before = [moment.seq for moment in history if after_a_crash(moment.records) == now]
        raise Broken(f"{problem}; as of seq {before[-1:] or '?'}, acknowledged {acked}, seen {candidates[-1].seq}")
    return Loss(beyond=True)


def between(before: Records, now: Records, after: Records) -> bool:
    """Whether the disk is as before a frame, or on the way to it: one frame may stand for several commits of text."""
    if now == before:
        return True
    if before.keys() != now.keys() or now.keys() != after.keys():
        return False
    for name, record in now.items():
        old, new = before[name], after[name]
        if record in (old, new):
            continue
        grew = isinstance(old, MessageRecord) and isinstance(record, MessageRecord) and isinstance(new, MessageRecord)
        if not (grew and new.content.startswith(record.content) and record.content.startswith(old.content)):  # type: ignore[union-attr]
            return False
    return True


def difference(seen: Records, now: Records, doing: ask.Command | None) -> str:
    """What the disk has otherwise than a commit that the client did not see could explain."""
    unsure = doing is not None
    for name, record in seen.items():
        other = now.get(name)
        if other is None:
            if not unsure and not isinstance(record, QueuedRecord):  # a turn that ended sends what waits
                return f"{name} is gone: {record}"
        elif not (unsure or goes_on(record, other)):
            return f"{name} was {record} and is {other}"
    for name, record in now.items():
        if name not in seen and not unsure and not isinstance(record, MessageRecord | ToolCallRecord):
            return f"{name} came from nowhere: {record}"
    return ""


def goes_on(seen: Record, now: Record) -> bool:
    """Whether one state of a record may follow on another by what a running turn does."""
    match seen, now:
        case MessageRecord(), MessageRecord():
            return now.content.startswith(seen.content) and now.thinking.startswith(seen.thinking)
        case ToolCallRecord(), ToolCallRecord():
            return seen.status == now.status or now.status in FINAL_STATUSES
        case NodeRecord(), NodeRecord():
            return replace(seen, title=now.title) == now  # the first words of a chat are its title
        case _:
            return seen == now


def check_tools(folder: Path, person: Person, records: Records) -> None:
    log = folder / "ran.log"
    ran = Counter(log.read_text().split()) if log.exists() else Counter()
    for token, count in ran.items():
        if count > len(person.asked.get(token, ())):
            raise Broken(f"{token} ran {count} times and was approved {len(person.asked.get(token, ()))} times")
    for record in records.values():
        if not isinstance(record, ToolCallRecord):
            continue
        if record.status == "running":
            raise Broken(f"{record.id} runs in a process that has just begun")
        if record.id in person.approved and record.status == "awaiting":
            raise Broken(f"{record.id} was approved, and asks again")
        if record.status == "done" and not ran[token_of(record)]:
            raise Broken(f"{record.id} is done and never ran")


def token_of(call: ToolCallRecord) -> str:
    found = re.search(r"token-\d+", call.args_json)
    return found[0] if found else ""


def check_paid(server: Server, project: str, person: Person, records: Records, shelved: dict[str, list[str]]) -> int:
    """Whatever was said to its end is somewhere; how many such texts there are."""
    for entry in server.get(f"/api/projects/{project}/shelf")["items"]:
        if entry["id"] not in shelved:
            item = server.get(f"/api/projects/{project}/shelf/{entry['id']}")
            shelved[entry["id"]] = [message["content"] for message in item["messages"]]
    kept = {record.content for record in records.values() if isinstance(record, MessageRecord)}
    kept |= {text for texts in shelved.values() for text in texts}
    lost = person.said - kept
    if lost:
        raise Broken(f"{len(lost)} replies that were paid for are nowhere, one of them: {min(lost)[:200]!r}")
    return len(person.said)


def check_files(home: Path, folder: Path) -> None:
    connection = sqlite3.connect(home / "talkfield.db")
    try:
        found = connection.execute("PRAGMA integrity_check").fetchall()
        if found != [("ok",)]:
            raise Broken(f"the database is damaged: {found[:3]}")
        connection.execute("INSERT INTO record_text(record_text, rank) VALUES ('integrity-check', 1)")
    finally:
        connection.rollback()
        connection.close()
    file = folder / "talkfield.json"
    if file.exists():
        load_project(file.read_bytes())
    left = [path.name for path in folder.iterdir() if ".damaged-" in path.name]
    if left:
        raise Broken(f"set aside: {left}")


# Rounds ---------------------------------------------------------------------------------------------------------------


@dataclass
class Report:
    """What was seen over all rounds."""

    rounds: int = 0
    starts_s: list[float] = field(default_factory=list)
    losses_s: list[float] = field(default_factory=list)
    beyond: int = 0
    running: int = 0
    texts: int = 0
    tools: int = 0
    done: Counter[str] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        losses = sorted(loss for loss in self.losses_s if loss > 0)
        at = f"{losses[len(losses) // 2]:.3f} s median, {losses[-1]:.3f} s most" if losses else "none"
        return [
            f"{self.rounds} kills; {self.running} of them while replies ran or cards were open",
            f"commands acknowledged: {sum(self.done.values())} ({dict(self.done.most_common())})",
            f"start until ready: {sorted(self.starts_s)[len(self.starts_s) // 2]:.2f} s median",
            f"rounds that lost unacknowledged text: {len(losses)}; time of what was lost: {at}",
            f"rounds in which the disk was ahead of the client: {self.beyond}",
            f"{self.texts} replies said to the end, none lost; {self.tools} tool runs, none twice",
        ]


def kill_loop(
    work: Path, rounds: int, seed: int, say: Callable[[str], None] = print, life_s: tuple[float, float] = (0.1, 2.5)
) -> Report:
    """Run the rounds in `work`. Raises `Broken` at the first promise that is not kept."""
    chance = random.Random(seed)
    home, folder = work / "home", work / "project"
    folder.mkdir(parents=True, exist_ok=True)
    server, report = Server(home, folder), Report()
    person: Person | None = None
    last: tuple[Browser, ask.Command | None, float] | None = None
    shelved: dict[str, list[str]] = {}
    for number in range(rounds + 1):
        report.starts_s.append(server.start())
        browser: Browser | None = None
        try:
            browser = Browser(server)
            now = browser.history[0].records
            if person is None:
                person = Person(chance, browser)
            if last is not None:
                before, doing, killed_at = last
                loss = compare(before.history, before.acked, now, doing, killed_at)
                if loss.seconds > PROMISED_LOSS_S + DISK_SLACK_S:
                    raise Broken(f"{loss.seconds:.2f} s of a reply are lost")
                report.losses_s.append(loss.seconds)
                report.beyond += loss.beyond
                check_tools(folder, person, now)
            report.texts = check_paid(server, browser.project, person, now, shelved)
            person.browser = browser
            if number == rounds:
                break
            life = chance.uniform(*life_s)
            killed: list[float] = []

            def kill(killed: list[float] = killed) -> None:
                killed.append(time.monotonic())
                server.signal(signal.SIGKILL)

            timer = threading.Timer(life, kill)
            timer.start()
            try:
                while True:
                    person.act()
            except (ConnectionClosed, WebSocketException, OSError, EOFError):
                timer.join()
            report.running += any(isinstance(record, RunRecord) for record in browser.document)
            last = (browser, person.doing, killed[0])
            person.doing = None
            server.ended()
            check_files(home, folder)
            report.rounds += 1
            if report.rounds % 10 == 0:
                say(f"{report.rounds} rounds, {sum(person.done.values())} commands, {len(now)} records")
        finally:
            server.signal(signal.SIGKILL)
            server.ended()
            if browser is not None:
                browser.close()
    assert person is not None
    report.done = person.done
    log = folder / "ran.log"
    report.tools = len(log.read_text().split()) if log.exists() else 0
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where to work; a new temporary one by default")
    arguments = parser.parse_args()
    work = arguments.folder or Path(tempfile.mkdtemp(prefix="talkfield-kill-"))
    try:
        report = kill_loop(work, arguments.rounds, arguments.seed, lambda line: print(line, flush=True))
    except Broken as problem:
        print(f"BROKEN: {problem}\nthe folder is left as it is: {work}", file=sys.stderr)
        return 1
    print("\n".join(report.lines()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
