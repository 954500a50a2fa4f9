"""The picture of the README, taken of the real thing: `make screenshot`."""

from __future__ import annotations

import os
from pathlib import Path

from e2e.canvas_page import CanvasPage

TARGET = os.environ.get("TALKFIELD_SCREENSHOT")
RESULTS = Path(__file__).resolve().parents[2] / "test-results"


def test_U1_a_canvas_with_three_chats(canvas: CanvasPage) -> None:
    canvas.page.set_viewport_size({"width": 1440, "height": 860})
    first = canvas.ask_first("markdown")
    first.says("A formula")
    first.idle()
    second = canvas.add_chat()
    second.send("think then answer")
    second.idle()
    third = canvas.add_chat()
    third.send("stream 400 words at 30/s")
    canvas.part("fit").click()
    canvas.page.wait_for_timeout(600)
    third.says("word-60 ")
    target = Path(TARGET) if TARGET else RESULTS / "canvas.png"
    target.parent.mkdir(parents=True, exist_ok=True)
    canvas.page.screenshot(path=target)
    third.stop()
    third.idle()
    assert target.stat().st_size > 20_000
