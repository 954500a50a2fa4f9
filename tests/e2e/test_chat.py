"""Chats as a person uses them, answered by the scripted provider."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from e2e.canvas_page import CanvasPage
from e2e.conftest import Pages
from e2e.server_process import ServerProcess


def test_U1_a_question_is_answered_word_by_word(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("stream 400 words at 50/s")
    chat.busy()
    chat.says("word-2 ")
    expect(chat.reply).not_to_contain_text("word-400")
    chat.says("word-400")
    chat.idle()
    expect(chat.of_role("user")).to_have_text(["stream 400 words at 50/s"])
    expect(chat.part("tokens")).not_to_be_empty()
    expect(chat.part("cost")).to_contain_text("$")


def test_U15_the_first_message_names_the_chat(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("What is a monad?\nIn short.")
    expect(chat.part("chat-title")).to_contain_text("What is a monad?")


def test_R1_several_chats_stream_at_once(canvas: CanvasPage) -> None:
    first = canvas.ask_first("stream 500 words at 50/s")
    others = [canvas.add_chat() for _ in range(2)]
    for number, chat in enumerate(others):
        chat.send(f"stream {450 + number} words at 50/s")
    chats = [first, *others]
    for chat in chats:
        chat.says("word-5 ")
    for chat in chats:
        chat.busy()
    for chat, last in zip(chats, (500, 450, 451), strict=True):
        chat.says(f"word-{last}")
        chat.idle()


def test_W6_two_tabs_show_the_same(server: ServerProcess, open_page: Pages) -> None:
    one = open_page(server)
    chat = one.ask_first("stream 600 words at 60/s")
    chat.says("word-3 ")
    two = open_page(server)
    same = two.chat_of(chat.id)
    same.busy()
    chat.says("word-600")
    same.says("word-600")
    chat.idle()
    same.idle()
    assert same.reply.inner_text() == chat.reply.inner_text()
    same.send("from the second tab")
    chat.says("echo: from the second tab")


def test_W6_a_reload_in_mid_stream_misses_nothing(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("stream 90 words at 30/s")
    chat.says("word-10 ")
    canvas.reload()
    chat = canvas.chat(0)
    chat.says("word-90")
    chat.idle()
    words = chat.reply.get_by_test_id("message-content").inner_text().split()
    assert words == [f"word-{number}" for number in range(1, 91)]


def test_R10_stop_keeps_what_came(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("stream 500 words at 20/s")
    chat.says("word-8 ")
    chat.stop()
    chat.idle()
    chat.says("word-8 ")
    expect(chat.reply).not_to_contain_text("word-400")
    chat.send("and now?")
    chat.says("echo: and now?")


def test_W4_undo_gives_the_text_back_and_redo_brings_the_turn(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("kept")
    chat.says("echo: kept")
    chat.idle()
    chat.send("regretted")
    chat.says("echo: regretted")
    chat.idle()
    canvas.undo()
    expect(chat.of_role("user")).to_have_text(["kept"])
    expect(chat.composer).to_have_value("regretted")
    canvas.redo()
    expect(chat.of_role("user")).to_have_text(["kept", "regretted"])
    chat.says("echo: regretted")
    expect(chat.composer).to_have_value("")


def test_check_04_D6_waiting_for_a_busy_service_is_shown(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("retry 1 times after 6 s")
    expect(chat.part("status")).to_contain_text(re.compile("[1-6]"))
    chat.says("answered at last")


def test_W13_an_error_says_what_happened_and_can_be_retried(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("fail 401")
    expect(chat.node).to_contain_text("the scripted service answered 401")
    chat.idle()
    chat.part("retry").click()
    expect(chat.node).to_contain_text("the scripted service answered 401")
    chat.idle()
    expect(chat.of_role("user")).to_have_count(1)


def test_D4_a_cut_answer_keeps_its_text_and_says_so(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("cut after 12 words")
    chat.says("word-12")
    chat.idle()
    expect(chat.node).to_contain_text("broke off")
    expect(chat.part("retry")).to_be_visible()


def test_C10_slash_commands_act_on_the_spot(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("hello")
    chat.says("echo: hello")
    chat.idle()
    chat.send("/system Answer like a pirate")
    chat.send("recall")
    chat.says("system: Answer like a pirate")
    chat.idle()
    chat.send("/clear")
    expect(chat.messages).to_have_count(0)


def test_U10_what_is_typed_survives_a_reload(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("hello")
    chat.idle()
    chat.composer.fill("not sent yet")
    expect(chat.composer).to_have_value("not sent yet")
    canvas.answered("saveDraft")
    canvas.reload()
    expect(canvas.chat(0).composer).to_have_value("not sent yet")
