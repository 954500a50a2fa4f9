"""The first minute without any key: the embedded model answers for real (Z2)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from e2e.conftest import Pages
from e2e.installation import Installation, has_embedded_model
from e2e.server_process import ServerProcess


@pytest.fixture
def server(installation: Installation, start: Callable[..., ServerProcess]) -> ServerProcess:
    if not has_embedded_model(installation):
        pytest.skip("the embedded model is not installed on this machine")
    return start().ready()


@pytest.mark.local_model
def test_Z2_the_first_chat_works_without_a_key(server: ServerProcess, open_page: Pages) -> None:
    canvas = open_page(server)
    chat = canvas.ask_first("What is the capital of France? Answer with one word.")
    chat.says("Paris", timeout_s=60)
    chat.idle(timeout_s=60)
    expect(chat.part("tokens")).not_to_be_empty()

    chat.send("Write a long story about a lighthouse and the sea.")
    chat.busy()
    expect(chat.reply.get_by_test_id("message-content")).to_contain_text("e", timeout=60_000)
    canvas.reload()
    chat = canvas.chat(0)
    chat.busy()
    other = open_page(server).chat(0)
    other.busy()
    chat.stop()
    chat.idle(timeout_s=3)
    other.idle(timeout_s=3)
    text = chat.reply.inner_text()
    assert text
    expect(other.reply).to_have_text(text, use_inner_text=True)

    canvas.undo()
    expect(chat.of_role("user")).to_have_count(1)
    canvas.redo()
    expect(chat.of_role("user")).to_have_count(2)
