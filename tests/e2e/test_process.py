"""The process: how it starts, who may not, how it ends, and what is there after a kill."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from e2e.canvas_page import CanvasPage
from e2e.conftest import Pages, Sins
from e2e.server_process import ServerProcess


def test_check_16_ST5_a_second_process_on_the_same_folder_is_refused(
    server: ServerProcess, start: Callable[..., ServerProcess]
) -> None:
    second = start(TALKFIELD_SCRIPTED="1")
    assert second.wait() != 0
    assert "already" in second.said.lower()
    assert "Traceback" not in second.said
    assert server.process.poll() is None


def test_X5_a_taken_port_is_told_in_words(start: Callable[..., ServerProcess]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = start("--port", str(port), TALKFIELD_SCRIPTED="1")
        assert process.wait() != 0
    assert str(port) in process.said
    assert "Traceback" not in process.said


def test_X5_a_home_that_cannot_be_written_is_told_in_words(start: Callable[..., ServerProcess], tmp_path: Path) -> None:
    in_the_way = tmp_path / "a file"
    in_the_way.write_text("")
    process = start(home=in_the_way, TALKFIELD_SCRIPTED="1")
    assert process.wait() != 0
    assert "a file" in process.said
    assert "Traceback" not in process.said


def test_Z1_control_c_ends_it_quietly(server: ServerProcess) -> None:
    status = server.stop(signal.SIGINT)
    assert status in (0, 130, -signal.SIGINT)
    assert "Traceback" not in server.said


def test_W8_a_kill_in_mid_stream_loses_at_most_a_moment(server: ServerProcess, open_page: Pages, sins: Sins) -> None:
    sins.allow("WebSocket|ERR_CONNECTION")
    canvas = open_page(server)
    chat = canvas.ask_first("finished question")
    chat.says("echo: finished question")
    chat.idle()
    chat.send("stream 400 words at 20/s")
    chat.says("word-40 ")
    server.kill()
    again = server.again()
    canvas.page.goto(again.link)
    canvas.loaded()
    chat = canvas.chat(0)
    expect(chat.of_role("user")).to_have_count(2)
    expect(chat.of_role("assistant").first).to_contain_text("echo: finished question")
    chat.says("word-30 ")
    chat.idle()
    expect(chat.part("retry")).to_be_visible()
    again.kill()


def test_W6_the_page_comes_back_by_itself_after_a_restart(server: ServerProcess, open_page: Pages, sins: Sins) -> None:
    sins.allow("WebSocket|ERR_CONNECTION")
    canvas = open_page(server)
    chat = canvas.ask_first("before")
    chat.says("echo: before")
    chat.idle()
    server.stop()
    expect(canvas.part("connection-banner")).to_be_visible()
    again = server.again()
    expect(canvas.part("connection-banner")).to_have_count(0, timeout=20_000)
    chat.send("after")
    chat.says("echo: after")
    again.kill()


def test_W6_closing_every_tab_stops_nothing(server: ServerProcess, open_page: Pages) -> None:
    canvas = open_page(server)
    chat = canvas.ask_first("stream 60 words at 30/s")
    chat.says("word-3 ")
    canvas.page.close()
    later: CanvasPage = open_page(server)
    later.chat(0).says("word-60", timeout_s=15)
    later.chat(0).idle()
