"""Reads from a terminal: lines with editing and history, single keys, and Ctrl-C as something other than the end.

A line is edited by the standard library's `readline` where there is one. Keys that were pressed before a question was
put never answer it, nor do several at once: what was typed ahead, or pasted, must not approve anything.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from talkfield.terminal.input_history import InputHistory

try:
    import readline
    import termios
    import tty
except ImportError:  # not on Windows
    CAN_EDIT = False
else:
    CAN_EDIT = True

END_OF_INPUT = "\x04"
CONTINUED = "\\"
"""At the end of a line: the message goes on in the next one."""


class Keyboard:
    """Where a person types. Without a terminal, lines are read as they come and nothing is asked by key."""

    def __init__(self, source: TextIO, out: TextIO, history: InputHistory | None = None) -> None:
        self._source = source
        self.interactive = source.isatty() and out.isatty()
        self._editing = self.interactive and CAN_EDIT
        self._history = history
        if self._editing:
            readline.set_auto_history(False)
            for line in history.load() if history is not None else ():
                readline.add_history(line)

    def message(self, prompt: str) -> str:
        """What a person says: a line, or several that end in a backslash but for the last. It becomes history.

        Raises `EOFError` and `KeyboardInterrupt`.
        """
        lines = [self.line(prompt)]
        while lines[-1].endswith(CONTINUED):
            lines.append(self.line("." * (len(prompt) - 1) + " "))
        text = "\n".join([*(line.removesuffix(CONTINUED) for line in lines[:-1]), lines[-1]])
        if self._editing and text.strip():
            readline.add_history(text)
            if self._history is not None:
                self._history.add(text)
        return text

    def line(self, prompt: str, text: str = "") -> str:
        """One line, with `text` already typed. Raises `EOFError` and `KeyboardInterrupt`."""
        if not self.interactive:
            line = self._source.readline()
            if not line:
                raise EOFError
            return line.rstrip("\n")
        if not self._editing:
            return input(prompt) or text
        readline.set_startup_hook((lambda: readline.insert_text(text)) if text else None)
        try:
            with self._echo(on=True):
                return input(prompt)
        finally:
            readline.set_startup_hook(None)

    def key(self, allowed: str, ask: Callable[[], None]) -> str:
        """Ask, and wait for one of these keys; in lower case. Raises `EOFError` and `KeyboardInterrupt`.

        Only a key that is pressed after the question, and by itself, is an answer.
        """
        with self._single_keys():
            ask()
            while True:
                pressed = self._pressed().lower()
                if pressed == END_OF_INPUT:
                    raise EOFError
                if len(pressed) == 1 and pressed in allowed:
                    return pressed

    @contextmanager
    def silent(self) -> Iterator[None]:
        """What is typed meanwhile does not show; it waits for the next prompt."""
        if not self._editing:
            yield
            return
        with self._echo(on=False):
            yield

    @contextmanager
    def _echo(self, *, on: bool) -> Iterator[None]:
        before = termios.tcgetattr(self._source)
        now = termios.tcgetattr(self._source)
        now[3] = now[3] | termios.ECHO if on else now[3] & ~termios.ECHO
        termios.tcsetattr(self._source, termios.TCSANOW, now)
        try:
            yield
        finally:
            termios.tcsetattr(self._source, termios.TCSANOW, before)

    def _pressed(self) -> str:
        """What came at once: one key, or the several of an arrow or of a paste."""
        if not self._editing:
            return self.line("").strip()[:1]
        return os.read(self._source.fileno(), 1024).decode(errors="replace") or END_OF_INPUT

    @contextmanager
    def _single_keys(self) -> Iterator[None]:
        """Keys come as they are pressed, and those that were pressed before are forgotten."""
        if not self._editing:
            yield
            return
        before = termios.tcgetattr(self._source)
        tty.setcbreak(self._source, termios.TCSAFLUSH)
        try:
            yield
        finally:
            termios.tcsetattr(self._source, termios.TCSADRAIN, before)


@contextmanager
def on_interrupt(do: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C does this, instead of raising wherever the program happens to be."""
    before = signal.signal(signal.SIGINT, lambda _signal, _frame: do())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def interruptible() -> Iterator[None]:
    """Within `on_interrupt`, for as long as a person is asked something: Ctrl-C raises `KeyboardInterrupt`."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
