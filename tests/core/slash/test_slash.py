"""Recognising a slash command (C5, C6) and the registry."""

from __future__ import annotations

import pytest

from talkfield.core.slash import COMMANDS, SlashCall, detect_slash_command


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("/clear", SlashCall("clear")),
        ("/CLEAR", SlashCall("clear")),
        ("/Clear \n", SlashCall("clear")),
        ("/cost", SlashCall("cost")),
        ("/model", SlashCall("model")),
        ("/model   ", SlashCall("model")),
        ("/model gpt-4o", SlashCall("model", "gpt-4o")),
        ("/MODEL GPT-4o", SlashCall("model", "GPT-4o")),
        ("/model\tgpt-4o", SlashCall("model", "gpt-4o")),
        ("/system\nBe kind.", SlashCall("system", "Be kind.")),
    ],
)
def test_C5_commands_are_recognised_in_any_case(text: str, call: SlashCall) -> None:
    assert detect_slash_command(text) == call


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "/",
        "//",
        "/ clear",
        "/\nclear",
        " /clear",
        "\n/clear",
        "clear",
        "/clears",
        "/clear,please",
        "/model/gpt-4o",
        "/etc/hosts is the file to look at",
        "/unknown thing",
        "please /clear",
        "//clear",
        "/ſystem x",
        "／clear",
    ],
)
def test_C5_anything_else_is_an_ordinary_message(text: str) -> None:
    assert detect_slash_command(text) is None


def test_C6_an_argument_keeps_its_inner_white_space_and_line_breaks() -> None:
    text = "/system   You are  a poet.\n\n\tAnswer in   verse.\r\n  Always. \n "
    assert detect_slash_command(text) == SlashCall("system", "You are  a poet.\n\n\tAnswer in   verse.\r\n  Always.")


def test_seed_arguments_were_collapsed_to_single_spaces_in_the_original() -> None:
    call = detect_slash_command("/system one  two\nthree")
    assert call == SlashCall("system", "one  two\nthree")


def test_C5_the_registry_holds_each_command_under_its_name() -> None:
    assert list(COMMANDS) == ["clear", "model", "system", "cost"]
    assert {name: command.name for name, command in COMMANDS.items()} == {name: name for name in COMMANDS}
    assert {name: command.argument for name, command in COMMANDS.items()} == {
        "clear": "",
        "model": "model id",
        "system": "text",
        "cost": "",
    }
    assert all(command.about for command in COMMANDS.values())


def test_C5_a_call_knows_its_command() -> None:
    call = detect_slash_command("/Cost")
    assert call is not None
    assert call.command is COMMANDS["cost"]
