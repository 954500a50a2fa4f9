"""What is encoded is decoded the same, and what a browser may not say is refused."""

from __future__ import annotations

import typing
from typing import Any

import msgspec
import pytest
from hypothesis import given

from strategies import strategy_for
from talkfield import wire
from talkfield.wire.client import ClientMessage, Command, Do, Hello, Ping, SaveProvider, SendMessage
from talkfield.wire.server import ServerMessage

COMMANDS: tuple[type[Any], ...] = typing.get_args(Command)


@given(strategy_for(ServerMessage))
def test_M6_whatever_the_server_says_is_read_the_same(message: ServerMessage) -> None:
    assert wire.decode_server(wire.encode(message)) == message


@given(strategy_for(ClientMessage))
def test_M6_whatever_a_browser_says_is_read_the_same(message: ClientMessage) -> None:
    assert wire.decode_client(wire.encode(message)) == message


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.__name__)
def test_M6_commands_go_by_their_own_names(command: type[Any]) -> None:
    name = command.__name__
    assert command.__struct_config__.tag == name[0].lower() + name[1:]


@pytest.mark.parametrize("struct", [*COMMANDS, Hello, Do, Ping], ids=lambda struct: struct.__name__)
def test_X5_unknown_fields_are_refused(struct: type[Any]) -> None:
    assert struct.__struct_config__.forbid_unknown_fields


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        '{"type":"do"}',
        '{"type":"nothing"}',
        '{"type":"ping","more":1}',
        '{"type":"hello","protocol":"1"}',
        '{"type":"do","id":"1","command":{"do":"rule"}}',
        '{"type":"do","id":"1","command":{"do":"sendMessage","node":"n"}}',
        '{"type":"do","id":"1","command":{"do":"sendMessage","node":"n","text":"t","role":"system"}}',
        '{"type":"do","id":"1","command":{"do":"placeNodes","places":[{"id":"n","x":1,"y":2,"z":3}]}}',
    ],
)
def test_X5_what_no_browser_may_say_is_refused(text: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        wire.decode_client(text)


def test_M6_names_are_camel_case_and_defaults_are_left_out() -> None:
    command = SaveProvider(name="Mine", api="openai", base_url="http://127.0.0.1:1")
    assert msgspec.json.decode(wire.encode(Do(id="7", command=command))) == {
        "type": "do",
        "id": "7",
        "command": {"do": "saveProvider", "name": "Mine", "api": "openai", "baseUrl": "http://127.0.0.1:1"},
    }


def test_M6_a_command_is_read_as_its_struct() -> None:
    text = '{"type":"do","id":"7","command":{"do":"sendMessage","node":"n","text":"hi"}}'
    assert wire.decode_client(text) == Do(id="7", command=SendMessage(node=typing.cast("Any", "n"), text="hi"))
