"""What axe-core, a checker of the Web Content Accessibility Guidelines, finds on the screens people use (U9)."""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e.canvas_page import CanvasPage

AXE = Path(__file__).resolve().parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

pytestmark = pytest.mark.skipif(not AXE.exists(), reason="web packages are not installed")


def violations(canvas: CanvasPage) -> list[str]:
    """One line a finding: the rule, what it asks, and where."""
    canvas.page.evaluate(AXE.read_text())
    found = canvas.page.evaluate(
        "tags => axe.run(document, {runOnly: {type: 'tag', values: tags}}).then(result => result.violations)", TAGS
    )
    return [f"{each['id']}: {each['help']}: {[node['html'][:140] for node in each['nodes']]}" for each in found]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_U9_the_canvas_is_accessible(canvas: CanvasPage, scheme: str) -> None:
    canvas.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    assert violations(canvas) == []
    chat = canvas.ask_first("think then answer\nmarkdown")
    chat.says("A formula")
    chat.idle()
    failed = canvas.add_chat()
    failed.send("fail 429")
    failed.idle()
    assert violations(canvas) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_U9_the_settings_are_accessible(canvas: CanvasPage, scheme: str) -> None:
    canvas.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    canvas.part("settings-open").click()
    settings = canvas.part("settings")
    settings.get_by_role("button", name="Add provider").wait_for()
    assert violations(canvas) == []
    settings.get_by_role("button", name="Add provider").click()
    assert violations(canvas) == []
