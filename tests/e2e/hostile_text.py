"""The hostile texts of the web tests, and what must not be in a page that shows them (X3)."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

VECTORS = Path(__file__).resolve().parents[2] / "web" / "src" / "ui" / "markdown" / "xssVectors.ts"


def vectors(page: Page, canary: str) -> list[str]:
    """The hostile texts of the web tests, with the canary as the place they want to reach."""
    source = VECTORS.read_text().replace("export const", "const").replace(": readonly string[]", "")
    found: list[str] = page.evaluate(f"() => {{ {source}; return XSS_VECTORS; }}")
    assert len(set(found)) >= 200
    return [text.replace("evil.example", canary) for text in found]
