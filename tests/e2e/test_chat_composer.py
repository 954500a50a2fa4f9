"""The composer and what a reply tells of itself, through real keys and pointers (U1, U3, U4)."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from e2e.canvas_page import CanvasPage, ChatNode


def asked(canvas: CanvasPage, text: str = "hello") -> ChatNode:
    """A chat with one reply."""
    chat = canvas.ask_first(text)
    chat.says(text)
    chat.idle()
    return chat


def test_U3_an_input_methods_enter_never_sends(canvas: CanvasPage) -> None:
    """A composition as the browser itself makes it, by its own protocol."""
    chat = asked(canvas)
    chat.composer.click()
    canvas.compose("に", "にほ", "にほん")
    expect(chat.composer).to_have_value("にほん")
    canvas.choose("日本")
    expect(chat.composer).to_have_value("日本")
    expect(chat.of_role("user")).to_have_count(1)
    canvas.page.keyboard.press("Enter")
    expect(chat.of_role("user")).to_have_count(2)
    chat.says("echo: 日本")


def test_U3_arrow_keys_bring_back_what_was_said(canvas: CanvasPage) -> None:
    chat = asked(canvas, "first")
    chat.send("second\nwith lines")
    chat.says("second")
    chat.idle()
    chat.composer.press("ArrowUp")
    expect(chat.composer).to_have_value("second\nwith lines")
    chat.composer.press("ArrowUp")  # through the lines of the text first
    expect(chat.composer).to_have_value("second\nwith lines")
    chat.composer.press("ArrowUp")
    expect(chat.composer).to_have_value("first")
    chat.composer.press("ArrowDown")
    chat.composer.press("ArrowDown")
    chat.composer.press("ArrowDown")
    expect(chat.composer).to_have_value("")
    chat.composer.press_sequentially("mine")
    chat.composer.press("ArrowUp")
    expect(chat.composer).to_have_value("mine")


def test_U1_send_tells_before_what_it_will_take_and_cost(canvas: CanvasPage) -> None:
    chat = asked(canvas)
    chat.composer.fill("x" * 4000)
    chat.part("send").hover()
    estimate = canvas.part("send-estimate").first
    expect(estimate).to_contain_text(re.compile(r"About 1,\d\d\d tokens in"))
    canvas.page.keyboard.press("Escape")


def test_U1_parameters_are_set_in_the_chat_sent_with_it_and_kept(canvas: CanvasPage) -> None:
    chat = asked(canvas)
    chat.part("parameters").click()
    canvas.page.get_by_label("Temperature").fill("0.3")
    canvas.page.get_by_label("Temperature").press("Enter")
    canvas.page.get_by_label("Effort").select_option("low")
    canvas.page.get_by_label("Most tokens of an answer").fill("200")
    canvas.page.keyboard.press("Escape")
    expect(chat.part("parameters")).to_have_attribute(
        "aria-label", "Parameters: temperature 0.3, effort low, at most 200 tokens"
    )
    canvas.answered("configureChat")
    canvas.reload()
    chat = canvas.chat(0)
    chat.send("recall")
    chat.says("temperature: 0.3")
    chat.says("effort: low")
    chat.says("most output tokens: 200")


def test_U1_a_reply_tells_what_was_sent_for_it_and_how_long_it_took(canvas: CanvasPage) -> None:
    chat = asked(canvas)
    chat.send("/system Be kind.")
    chat.send("/cost")
    expect(chat.of_role("note")).to_have_count(1)
    chat.send("and again")
    chat.says("echo: and again")
    chat.idle()
    chat.reply.hover()
    expect(chat.reply.get_by_test_id("timing")).to_have_attribute("title", re.compile(r"^Took \d"))
    chat.reply.get_by_test_id("receipt-open").click()
    receipt = canvas.part("receipt")
    expect(receipt).to_contain_text("System prompt")
    expect(receipt).to_contain_text("2 messages of yours")
    expect(receipt).to_contain_text("Earlier reply")
    expect(receipt).to_contain_text("Notes: they are for you alone")
    canvas.page.keyboard.press("Escape")
    expect(receipt).to_have_count(0)
    expect(chat.reply.get_by_test_id("receipt-open")).to_be_focused()


def test_U1_thinking_is_folded_peeked_at_and_its_time_kept(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("think at 3/s then answer")
    expect(chat.part("thinking-peek")).to_contain_text("Let me")
    chat.says("I thought about it")
    chat.idle()
    expect(chat.part("thinking-peek")).to_have_count(0)
    expect(chat.part("thinking")).to_have_text(re.compile(r"^Thought for [\d.]+ m?s$"))
    chat.part("thinking").get_by_role("button").click()
    expect(chat.part("thinking")).to_contain_text("Let me think about what was asked.")


def test_D6_a_retry_says_why_and_counts_down_where_the_reply_will_stand(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("retry 1 times after 6 s")
    expect(chat.part("retrying")).to_contain_text(re.compile(r"Trying again in \d s\."))
    chat.says("answered at last")
    expect(chat.part("retrying")).to_have_count(0)


def test_U1_models_are_found_by_words_and_say_their_window(canvas: CanvasPage) -> None:
    chat = asked(canvas)
    chat.part("model-picker").click()
    options = canvas.page.get_by_role("option")
    expect(options.filter(has_text="scripted-1").first).to_contain_text("128k")
    canvas.page.keyboard.type("price unknown")
    expect(options).to_have_count(1)
    canvas.page.keyboard.press("Enter")
    expect(chat.part("model-picker")).to_contain_text("scripted-2")


def test_W12_what_enter_would_do_stands_beside_stop(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("stream 500 words at 20/s")
    chat.busy()
    expect(chat.part("queue")).to_have_count(0)
    chat.composer.fill("next")
    chat.part("queue").click()
    expect(chat.part("queued")).to_have_text(re.compile("next"))
    expect(chat.composer).to_be_focused()
    chat.stop()
    chat.idle()
    expect(chat.composer).to_have_value("next")


def test_Z2_typing_anywhere_on_an_empty_canvas_starts_a_chat(canvas: CanvasPage) -> None:
    canvas.page.mouse.click(20, 700)
    canvas.page.keyboard.type("hello there")
    expect(canvas.part("first-composer").locator("textarea").or_(canvas.part("first-composer")).last).to_have_value(
        "hello there"
    )
    canvas.page.keyboard.press("Enter")
    expect(canvas.chats).to_have_count(1)
    canvas.chat(0).says("echo: hello there")


def test_U4_keys_wheel_and_paste_in_the_new_parts_stay_in_the_node(canvas: CanvasPage) -> None:
    chat = asked(canvas)
    viewport = canvas.page.locator(".react-flow__viewport")
    before = viewport.get_attribute("style")
    chat.part("parameters").click()
    field = canvas.page.get_by_label("Most tokens of an answer")
    field.click()
    canvas.page.keyboard.press("Backspace")
    canvas.page.keyboard.press("Delete")
    canvas.page.mouse.wheel(0, 300)
    canvas.page.keyboard.press("Escape")
    expect(canvas.chats).to_have_count(1)
    assert viewport.get_attribute("style") == before


def test_L4_a_branch_goes_on_from_a_message_beside_its_chat(canvas: CanvasPage) -> None:
    chat = asked(canvas, "first")
    chat.send("second")
    chat.says("echo: second")
    chat.idle()
    first_reply = chat.of_role("assistant").first
    first_reply.hover()
    first_reply.get_by_test_id("branch").click()
    expect(canvas.chats).to_have_count(2)
    (made,) = set(canvas.chats.evaluate_all("nodes => nodes.map(node => node.dataset.nodeId)")) - {chat.id}
    branch = canvas.chat_of(made)
    expect(branch.composer).to_be_focused()
    expect(branch.of_role("user")).to_have_text(["first"])
    canvas.page.keyboard.type("another second")
    canvas.page.keyboard.press("Enter")
    branch.says("echo: another second")
    expect(chat.of_role("user")).to_have_text(["first", "second"])


def test_L4_selected_text_is_asked_about_in_a_branch(canvas: CanvasPage) -> None:
    chat = asked(canvas, "about bees")
    said = chat.of_role("assistant").get_by_test_id("message-content")
    canvas.still()
    said.locator("p").click(click_count=3)
    chat.part("ask-in-branch").click()
    expect(canvas.chats).to_have_count(2)
    (made,) = set(canvas.chats.evaluate_all("nodes => nodes.map(node => node.dataset.nodeId)")) - {chat.id}
    branch = canvas.chat_of(made)
    expect(branch.composer).to_be_focused()
    expect(branch.composer).to_have_value("> echo: about bees\n\n")
    canvas.page.keyboard.type("Which ones?")
    expect(branch.composer).to_have_value("> echo: about bees\n\nWhich ones?")
    canvas.page.keyboard.press("Enter")
    expect(branch.of_role("user")).to_have_count(2)
    branch.says("Which ones?")
    expect(chat.of_role("user")).to_have_text(["about bees"])


def test_C7_a_chat_that_is_full_asks_what_to_do(canvas: CanvasPage) -> None:
    chat = asked(canvas)
    chat.send("/model scripted-2")  # takes in 8,000 tokens
    expect(chat.part("model-picker")).to_contain_text("scripted-2")
    chat.send("x" * 14_000)
    chat.says("xxxx")
    chat.idle()
    chat.composer.fill("and " + "y" * 6_000)
    expect(chat.part("too-long")).to_contain_text("the model can take in 8,000")
    chat.composer.press("Enter")
    expect(chat.part("refusal")).to_contain_text("scripted-2 can take in 8,000")
    expect(chat.of_role("user")).to_have_count(2)
    chat.part("leave-out").click()
    chat.says("and yyyy")
    chat.idle()
    chat.reply.hover()
    chat.reply.get_by_test_id("receipt-open").click()
    expect(canvas.part("receipt")).to_contain_text("Oldest messages: they did not fit into what the model can take in")


def test_C7_a_chat_that_is_full_goes_on_in_a_branch(canvas: CanvasPage) -> None:
    chat = asked(canvas)
    chat.send("/model scripted-2")
    expect(chat.part("model-picker")).to_contain_text("scripted-2")
    chat.send("x" * 14_000)
    chat.says("xxxx")
    chat.idle()
    chat.send("and " + "y" * 6_000)
    chat.part("go-on-in-branch").click()
    expect(canvas.chats).to_have_count(2)
    (made,) = set(canvas.chats.evaluate_all("nodes => nodes.map(node => node.dataset.nodeId)")) - {chat.id}
    branch = canvas.chat_of(made)
    branch.says("and yyyy")
    branch.idle()
    expect(branch.of_role("user")).to_have_count(1)
    expect(branch.composer).to_be_focused()
    expect(chat.of_role("user")).to_have_count(2)
    expect(chat.composer).to_have_value("")
