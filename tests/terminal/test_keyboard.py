"""Keys and lines, read from a real pseudo-terminal."""

from __future__ import annotations

import io
import os
import pty
import signal
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fcntl import ioctl
from termios import ECHO, FIONREAD, ICANON, tcgetattr
from typing import Any, TextIO

import pytest

from talkfield.terminal.keyboard import Keyboard, interruptible, on_interrupt


@dataclass
class Seat:
    """Both ends of a terminal: `source` is the program's, keys are pressed at the other."""

    master: int
    source: TextIO
    _moment: threading.Event = field(default_factory=threading.Event)

    def press(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def wait_until_there(self) -> None:
        """What was pressed has come to where the program would read it: terminals take their time."""
        self._wait(lambda: struct.unpack("i", ioctl(self.source, FIONREAD, b"    "))[0] > 0)

    def wait_until_read(self) -> None:
        """What was pressed has been taken by the program."""
        self._wait(lambda: struct.unpack("i", ioctl(self.source, FIONREAD, b"    "))[0] == 0)

    def wait_until_asked(self) -> None:
        """Single keys are read now."""
        self._wait(lambda: not tcgetattr(self.source)[3] & ICANON)

    def _wait(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline
            self._moment.wait(0.005)


@pytest.fixture
def seat() -> Iterator[Seat]:
    master, slave = pty.openpty()
    with open(slave, "w+b", buffering=0) as raw, io.TextIOWrapper(raw) as source:
        yield Seat(master, source)
    os.close(master)


def answered(seat: Seat, *presses: bytes) -> Any:
    """What a question for `a` or `d` makes of these presses, each read before the next."""
    outcome: list[Any] = []

    def ask() -> None:
        try:
            outcome.append(Keyboard(seat.source, seat.source).key("ad", lambda: None))
        except EOFError as error:
            outcome.append(type(error))

    thread = threading.Thread(target=ask)
    thread.start()
    seat.wait_until_asked()
    for keys in presses:
        assert outcome == []
        seat.press(keys)
        seat.wait_until_read()
        thread.join(0.05)
    thread.join(20)
    return outcome[0]


def test_T6_only_a_single_key_that_was_asked_for_is_an_answer(seat: Seat) -> None:
    assert answered(seat, b"ad", b"\x1b[A", b"x", b"\xc3\xa4", b"\r", b"D") == "d"


def test_T6_what_was_typed_before_the_question_is_no_answer(seat: Seat) -> None:
    seat.press(b"a\na\n")
    seat.wait_until_there()
    assert answered(seat, b"d") == "d"


def test_Z4_the_end_of_input_is_no_answer_either(seat: Seat) -> None:
    assert answered(seat, b"\x04") is EOFError


def test_Z4_what_is_typed_while_a_reply_comes_does_not_show_and_the_terminal_is_put_back(seat: Seat) -> None:
    before = tcgetattr(seat.source)
    with Keyboard(seat.source, seat.source).silent():
        assert not tcgetattr(seat.source)[3] & ECHO
        assert answered(seat, b"a") == "a"
        assert not tcgetattr(seat.source)[3] & ECHO
    assert tcgetattr(seat.source) == before


def test_Z4_without_a_terminal_lines_are_read_as_they_come() -> None:
    keyboard = Keyboard(io.StringIO("hello\\\nthere\nApprove\n\nd"), io.StringIO())
    assert not keyboard.interactive
    assert keyboard.message("> ") == "hello\nthere"
    with keyboard.silent():
        assert keyboard.key("ad", lambda: None) == "a"
        assert keyboard.key("ad", lambda: None) == "d"
        with pytest.raises(EOFError):
            keyboard.key("ad", lambda: None)
    with pytest.raises(EOFError):
        keyboard.line("> ")


def test_R10_ctrl_c_is_what_it_is_said_to_be() -> None:
    pressed: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    with on_interrupt(lambda: pressed.append(1)):
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt), interruptible():
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
    assert pressed == [1, 1]
    assert signal.getsignal(signal.SIGINT) is before
