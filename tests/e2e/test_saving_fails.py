"""A disk that fills up while people talk, as they see it (W9)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Dialog, expect

from e2e.conftest import Pages, Sins
from e2e.server_process import ServerProcess
from storage.disk import small_disk


def test_check_14_W9_a_full_disk_is_shown_nothing_is_lost_and_leaving_is_asked_about(
    start: Callable[..., ServerProcess], own_home: Path, open_page: Pages, sins: Sins
) -> None:
    sins.allow("WebSocket|ERR_CONNECTION")
    own_home.mkdir(exist_ok=True)
    with small_disk(own_home, "6m") as disk:
        server = start(TALKFIELD_SCRIPTED="1").ready()
        canvas = open_page(server)
        chat = canvas.ask_first("before")
        chat.says("echo: before")
        chat.idle()
        state = canvas.part("save-state")
        expect(state).to_have_text("Saved")
        disk.fill()
        for number in range(300):  # the database may have some room left in its own files
            chat.send(f"number {number} " + "x" * 20_000)
            chat.says(f"echo: number {number} ")
            chat.idle()
            if state.text_content() != "Saved":
                break
        expect(state).to_contain_text("disk is full")
        chat.send("after")
        chat.says("echo: after")  # everything goes on
        chat.idle()

        asked: list[str] = []

        def stay(dialog: Dialog) -> None:
            asked.append(dialog.type)
            dialog.dismiss()

        canvas.page.on("dialog", stay)
        with canvas.page.expect_event("dialog"):
            canvas.page.close(run_before_unload=True)
        expect(state).to_contain_text("disk is full")
        assert asked == ["beforeunload"]
        disk.free()
        expect(state).to_have_text("Saved", timeout=20_000)
        said = chat.of_role("user").count()
        server.kill()
        again = server.again()
        canvas.page.goto(again.link)
        canvas.loaded()
        expect(canvas.chat(0).of_role("user")).to_have_count(said)
        canvas.chat(0).says("echo: after")
        again.kill()
