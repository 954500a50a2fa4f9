"""Adding a provider by hand, as a person does."""

from __future__ import annotations

from playwright.sync_api import expect

from e2e.canvas_page import CanvasPage
from e2e.openai_service import openai_service
from e2e.server_process import ServerProcess

KEY = "sk-parrot-0123456789abcdef"


def add_provider(canvas: CanvasPage, *, name: str, address: str, key: str) -> None:
    canvas.part("settings-open").click()
    settings = canvas.part("settings")
    settings.get_by_role("button", name="Add provider").click()
    settings.get_by_label("Service").select_option("custom")
    settings.get_by_label("Name").fill(name)
    settings.get_by_label("Address").fill(address)
    settings.get_by_label("Key").fill(key)
    settings.get_by_label("Model").fill("parrot-1")
    settings.get_by_role("button", name="Add and test").click()


def heap_of(canvas: CanvasPage) -> str:
    """Every string in the memory of the page's scripts."""
    pieces: list[str] = []
    session = canvas.page.context.new_cdp_session(canvas.page)
    session.on("HeapProfiler.addHeapSnapshotChunk", lambda event: pieces.append(event["chunk"]))
    session.send("HeapProfiler.takeHeapSnapshot")
    session.detach()
    return "".join(pieces)


def test_check_45_D1_an_added_provider_answers_and_its_key_stays_here(
    canvas: CanvasPage, server: ServerProcess
) -> None:
    with openai_service(KEY) as service:
        add_provider(canvas, name="Parrot", address=service.address, key=KEY)
        settings = canvas.part("settings")
        expect(settings).to_contain_text("Parrot")
        expect(settings).to_contain_text("Ready")
        expect(settings).not_to_contain_text(KEY)
        canvas.page.keyboard.press("Escape")
        chat = canvas.ask_first("good morning")
        chat.idle()
        chat.part("model-picker").click()
        canvas.page.get_by_text("parrot-1").first.click()
        canvas.page.keyboard.press("Escape")
        chat.send("hello parrot")
        chat.says("You said: hello parrot")
        chat.idle()
        assert service.requests[-1]["model"] == "parrot-1"
        assert service.requests[-1]["stream"] is True
    assert set(service.keys) == {KEY}
    assert KEY not in server.said
    assert KEY not in canvas.page.content()
    kept = canvas.page.evaluate("() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])")
    assert KEY not in kept
    canvas.reload()
    expect(canvas.chat(0).part("model-picker")).to_contain_text("parrot-1")
    memory = heap_of(canvas)
    assert "parrot-1" in memory  # it holds what the page knows
    assert KEY not in memory
    written = [path for path in server.home.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert [path.name for path in written] == ["keys.json"]
    assert written[0].stat().st_mode & 0o077 == 0


def test_D5_a_wrong_key_is_told_without_showing_it(canvas: CanvasPage) -> None:
    with openai_service(KEY) as service:
        add_provider(canvas, name="Parrot", address=service.address, key="sk-wrong-abcdefghijklmnop")
        settings = canvas.part("settings")
        expect(settings).to_contain_text("Does not answer")
        expect(settings).not_to_contain_text("sk-wrong-abcdefghijklmnop")


def test_X5_an_address_that_is_none_is_refused_and_the_form_stays(canvas: CanvasPage) -> None:
    add_provider(canvas, name="Nonsense", address="not an address", key="")
    settings = canvas.part("settings")
    expect(settings.get_by_role("alert")).to_be_visible()
    expect(settings.get_by_label("Name")).to_have_value("Nonsense")
