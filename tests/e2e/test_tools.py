"""Tools as a person lives with them: cards that outlast reloads and kills, rules, the record, and servers of tools."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from e2e.canvas_page import CanvasPage, ChatNode
from e2e.conftest import Pages, Sins
from e2e.server_process import ServerProcess, eventually
from e2e.test_accessibility import violations
from e2e.test_cards import printing, run, write

PROGRAM = str(Path(__file__).with_name("tool_server.py"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project folder with a file in it."""
    folder = tmp_path / "garden"
    folder.mkdir()
    (folder / "notes.md").write_text("# Notes\n\nold line\n")
    return folder


@pytest.fixture
def process(folder: Path, start: Callable[..., ServerProcess]) -> ServerProcess:
    return start("--port", "0", str(folder), TALKFIELD_SCRIPTED="1").ready()


@pytest.fixture
def garden(process: ServerProcess, open_page: Pages) -> CanvasPage:
    """A page on the canvas of the folder's project."""
    return open_page(process)


def settings(garden: CanvasPage, tab: str) -> None:
    garden.part("settings-open").click()
    garden.page.get_by_role("tab", name=tab).click()


def awaiting(chat: ChatNode, count: int) -> None:
    expect(chat.node.locator('[data-testid="tool-card"][data-status="awaiting"]')).to_have_count(count)


def test_check_12_T7_W8_three_cards_outlast_a_reload_and_a_kill_and_are_decided_each_in_its_own_way(
    process: ServerProcess, garden: CanvasPage, folder: Path, sins: Sins
) -> None:
    sins.allow("WebSocket|ERR_CONNECTION")
    third = write("# Notes\n\nnew line\n")
    chat = garden.ask_first("\n".join([run("rm", "-rf", "build"), run(*printing("one")), third]))
    awaiting(chat, 3)
    garden.reload()
    awaiting(chat, 3)

    process.kill()
    again = process.again()
    try:
        garden.page.goto(again.link)
        garden.loaded()
        awaiting(chat, 3)
        cards = chat.part("tool-card")
        cards.nth(2).get_by_test_id("remember").select_option(label="In this project: notes.md")
        trial = cards.nth(2).get_by_test_id("rule-trial")
        expect(trial).to_contain_text("Let write_file run without asking in this project: files that fit notes.md.")
        expect(trial).to_contain_text("No call of this tool is on record yet.")
        cards.nth(2).get_by_test_id("approve").click()
        expect(cards.nth(2)).to_have_attribute("data-status", "done")

        cards.nth(0).focus()
        garden.page.keyboard.press("d")
        expect(cards.nth(0).get_by_role("textbox")).to_be_focused()
        garden.page.keyboard.type("keep it")
        garden.page.keyboard.press("Enter")
        expect(cards.nth(0)).to_have_attribute("data-status", "denied")

        cards.nth(1).focus()
        garden.page.keyboard.press("e")
        cards.nth(1).get_by_role("textbox").fill(json.dumps({"command": printing("two")}))
        garden.page.keyboard.press("Control+Enter")
        chat.idle()
        chat.says("two")
        chat.says("denied by user: keep it")
        assert (folder / "notes.md").read_text() == "# Notes\n\nnew line\n"

        chat.send(write("# Notes\n\nby rule\n"))
        expect(cards).to_have_count(4)
        chat.idle()
        expect(cards.nth(3)).to_have_attribute("data-status", "done")
        assert (folder / "notes.md").read_text() == "# Notes\n\nby rule\n"
        looked_back(garden, chat)
    finally:
        again.kill()


def looked_back(garden: CanvasPage, chat: ChatNode) -> None:
    """What ran is on record, by whose word; the rule is listed, and taken back at once."""
    settings(garden, "What ran")
    calls = garden.part("audit-call")
    expect(calls).to_have_count(4)
    calls.nth(0).locator("summary").click()
    expect(calls.nth(0)).to_contain_text("the rule “allow write_file: notes.md”")
    garden.part("settings").get_by_label("That").select_option(label="denied")
    expect(calls).to_have_count(1)
    expect(calls).to_contain_text("run_command")
    garden.part("settings").get_by_label("That").select_option(index=0)
    with garden.page.expect_download() as download:
        garden.part("audit-export").click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert [json.loads(line)["tool"] for line in lines].count("write_file") == 2

    garden.page.get_by_role("tab", name="Rules").click()
    expect(garden.part("rule")).to_contain_text("notes.md")
    assert violations(garden) == []
    garden.part("rule-remove").click()
    expect(garden.part("rule")).to_have_count(0)
    garden.page.keyboard.press("Escape")
    chat.send(write("# Notes\n\nasked again\n"))
    awaiting(chat, 1)


def test_T7_a_rule_is_changed_in_settings_and_tried_while_it_is_typed(garden: CanvasPage) -> None:
    chat = garden.ask_first(write("# Notes\n\nnew line\n"))
    awaiting(chat, 1)
    chat.part("deny").click()
    chat.idle()
    settings(garden, "Rules")
    form = garden.part("settings")
    garden.page.get_by_role("button", name="Add rule").click()
    form.get_by_label("Path").fill("docs/**")
    trial = garden.part("rule-trial")
    expect(trial).to_contain_text("It would not have decided the one call on record.")
    form.get_by_label("Path").fill("*.md")
    expect(trial).to_contain_text("It would have decided the one call on record.")
    garden.page.get_by_role("button", name="Save").click()
    garden.part("rule").get_by_role("button", name="Edit").click()
    form.get_by_label("Decision").select_option(label="Never")
    expect(trial).to_contain_text("Never let write_file run in this project: files that fit *.md.")
    assert violations(garden) == []
    garden.page.get_by_role("button", name="Save").click()
    expect(garden.part("rule")).to_contain_text("Never")
    garden.page.keyboard.press("Escape")
    chat.send(write("# Notes\n\nother line\n"))
    chat.says("denied by a rule of the user")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@contextlib.contextmanager
def served() -> Iterator[str]:
    """The server of tools at an address."""
    port = free_port()
    program = subprocess.Popen([sys.executable, PROGRAM, "http", str(port)], stderr=subprocess.DEVNULL)

    def answers() -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
        return False

    try:
        eventually(answers, what="the server of tools answers", timeout_s=30)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        program.kill()
        program.wait()


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_T10_a_server_of_the_official_sdk_is_added_used_shown_and_switched_off(
    garden: CanvasPage, transport: str, tmp_path: Path
) -> None:
    with served() if transport == "http" else contextlib.nullcontext() as address:
        settings(garden, "Tools")
        garden.page.get_by_role("button", name="Add server").click()
        form = garden.part("settings")
        form.get_by_label("Name").fill("plot")
        if address:
            form.get_by_label("It is").select_option("address")
            form.get_by_label("Address").fill(address)
        else:
            form.get_by_label("Command").fill(f"{sys.executable} '{PROGRAM}'")
        garden.page.get_by_role("button", name="Add and test").click()
        row = garden.part("tool-server")
        expect(row).to_have_attribute("data-status", "ready", timeout=30_000)
        expect(row).to_contain_text("plot__photograph")
        assert violations(garden) == []
        garden.page.keyboard.press("Escape")
        used(garden, tmp_path / "rain")


def used(garden: CanvasPage, rain: Path) -> None:
    water = f"call plot__water {json.dumps({'until': str(rain)})}"
    chat = garden.ask_first("\n".join(["call plot__photograph {}", water]))
    awaiting(chat, 2)
    cards = chat.part("tool-card")
    expect(cards.first).to_contain_text("From plot")
    cards.first.get_by_test_id("approve").click()
    cards.last.get_by_test_id("approve").click()
    expect(cards.last).to_contain_text("2 of 3: bed 2 is wet")
    expect(cards.last).to_have_attribute("data-status", "running")
    rain.touch()
    chat.idle()
    chat.says("all beds are wet")
    cards.first.get_by_role("button").first.click()
    picture = cards.first.get_by_alt_text("picture 1")
    expect(picture).to_be_visible()
    eventually(lambda: picture.evaluate("image => image.naturalWidth") == 8, what="the picture is drawn")

    chat.send('call plot__measure {"plant": "rose"}')
    awaiting(chat, 1)
    cards.last.get_by_test_id("approve").click()
    chat.idle()
    cards.last.get_by_role("button").first.click()
    expect(cards.last).to_contain_text('"height_cm": 42')

    chat.part("tool-picker").click()
    garden.page.locator('[data-testid="tool-switch"][data-name="plot"]').click()
    garden.page.keyboard.press("Escape")
    chat.send('call plot__measure {"plant": "rose"}')
    chat.says("unknown tool: plot__measure")


def test_T10_what_a_projects_file_names_runs_only_after_a_person_said_so(
    folder: Path, process: ServerProcess, open_page: Pages, tmp_path: Path
) -> None:
    trace = tmp_path / "started"
    program = f"import pathlib; pathlib.Path({str(trace)!r}).touch()"
    file = {"mcpServers": {"shared": {"command": sys.executable, "args": ["-I", "-c", program]}}}
    (folder / ".mcp.json").write_text(json.dumps(file))
    garden = open_page(process)
    chat = garden.ask_first("look at the file")
    chat.idle()
    garden.reload()
    garden.part("inbox").click()
    question = garden.part("server-question")
    expect(question).to_contain_text("touch()")
    assert violations(garden) == []
    assert not trace.exists()
    question.get_by_role("button", name="Let it run").click()
    expect(garden.part("inbox")).to_have_count(0)
    garden.page.keyboard.press("Escape")
    chat.send("again")
    eventually(trace.exists, what="the server was started")


def test_T10_a_program_outside_waits_for_a_person_at_the_canvas(process: ServerProcess, garden: CanvasPage) -> None:
    headers = {
        "Authorization": f"Bearer {(process.home / 'api-token').read_text().strip()}",
        "Content-Type": "application/json",
    }
    body = {"tool": "talkfield__add_node", "arguments": {"title": "From outside"}}
    request = urllib.request.Request(f"{process.address}/api/visitor-calls", json.dumps(body).encode(), headers)

    def ask() -> dict[str, Any]:
        with urllib.request.urlopen(request, timeout=30) as response:
            return dict(json.load(response))

    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(ask)
        garden.part("inbox").click()
        card = garden.part("inbox-card")
        expect(card).to_contain_text("A program outside asks")
        expect(card).to_contain_text("From outside")
        card.get_by_test_id("remember").select_option(label="In this project: every call of talkfield__add_node")
        expect(card.get_by_test_id("rule-trial")).to_contain_text("Let talkfield__add_node run without asking")
        assert violations(garden) == []
        card.get_by_test_id("approve").click()
        assert asked.result(30) == {"allowed": True, "arguments": {"title": "From outside"}}
        expect(garden.part("inbox")).to_have_count(0)
        assert threads.submit(ask).result(30)["allowed"] is True
