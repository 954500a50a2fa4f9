"""The picture of the README, taken of the real thing: `make screenshot`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from e2e.conftest import Pages
from e2e.server_process import ServerProcess

SCRIPT = Path(__file__).resolve().parent / "readme_script.toml"
TARGET = os.environ.get("TALKFIELD_SCREENSHOT")
RESULTS = Path(__file__).resolve().parents[2] / "test-results"


def test_U1_a_canvas_with_three_chats(start: Callable[..., ServerProcess], open_page: Pages) -> None:
    canvas = open_page(start(TALKFIELD_SCRIPTED=str(SCRIPT)).ready())
    canvas.page.set_viewport_size({"width": 1440, "height": 860})
    sky = canvas.ask_first("Why is the sky blue?")
    sky.says("forty times longer")
    sky.idle()
    table = canvas.add_chat()
    table.send("How does a hash map grow?")
    table.says("amortised")
    table.idle()
    weekend = canvas.add_chat()
    weekend.send("Plan a weekend in Lisbon for someone who likes to walk")
    canvas.part("fit").click()
    weekend.says("Evening in Bairro Alto")
    target = Path(TARGET) if TARGET else RESULTS / "canvas.png"
    target.parent.mkdir(parents=True, exist_ok=True)
    canvas.page.screenshot(path=target)
    weekend.stop()
    weekend.idle()
    assert target.stat().st_size > 20_000
