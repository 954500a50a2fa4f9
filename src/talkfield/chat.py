"""`talkfield chat`: a conversation in the terminal, by the same runtime as the canvas (Z4).

The main thread asks and shows; the runtime has a thread of its own (`terminal/runtime_thread.py`). Ctrl-C ends a reply,
not the program. The conversation is kept nowhere; what was typed is, for the arrow keys.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from msgspec.structs import replace as replace_struct

from talkfield.ask import look_around
from talkfield.cli import say
from talkfield.core.conversation import Conversation
from talkfield.core.cost import conversation_cost
from talkfield.core.ids import NodeId, ProviderId, RuleId
from talkfield.core.messages import Message, ToolCall
from talkfield.core.rule import Rule, words_of
from talkfield.core.slash import ClearTranscript, Configure, Note, SlashCall, SlashContext, detect_slash_command
from talkfield.core.visible import visible_line
from talkfield.errors import SaveFailed, StartFailed
from talkfield.library import user_message
from talkfield.runtime.ports import Decision, SendRequest, SendResult, Tool
from talkfield.storage.folder import DataFolder
from talkfield.system import RandomIds, SystemClock
from talkfield.terminal.audit_file import audit_into, last_calls
from talkfield.terminal.card import own_card, panel, problem_of
from talkfield.terminal.input_history import InputHistory
from talkfield.terminal.keyboard import Keyboard, interruptible, on_interrupt
from talkfield.terminal.reply import Reply, usage_line
from talkfield.terminal.rule_book import RuleBook
from talkfield.terminal.rule_dialog import RuleDialog
from talkfield.terminal.runtime_thread import NewLoop, RuntimeThread
from talkfield.terminal.screen import Screen, fall_silent
from talkfield.terminal.tool_desk import ToolDesk
from talkfield.tools import TOOLS

NODE = NodeId("chat")
PROMPT = "> "
RULES = "/rules"
HELP = "Ctrl-C stops a reply, Ctrl-D leaves. /model, /system, /cost and /clear act on this chat."
IMPATIENT = 3
"""Which Ctrl-C during one reply gives up waiting for its end."""


@dataclass
class Choice:
    """What the chat asks with. Without a provider and a model: those of Settings. `tools`: work in this folder."""

    provider: ProviderId | None = None
    model: str | None = None
    system: str = ""
    tools: bool = False


def chat(choice: Choice, new_loop: NewLoop) -> int:
    """Talk until the person leaves; the exit status."""
    tools: Sequence[Tool] = tuple(TOOLS.values()) if choice.tools else ()
    data = DataFolder.locate(os.environ)
    if choice.tools:
        data.create()
    keyboard = Keyboard(sys.stdin, sys.stdout, typed_before(data) if sys.stdin.isatty() else None)
    screen = Screen(sys.stdout)
    record = data.path / "chat-audit.jsonl"
    desk = ToolDesk(
        tools={tool.name: tool for tool in tools},
        book=RuleBook(data.path / "chat-rules.json", os.getcwd()) if tools else None,
        dialog=RuleDialog(
            keyboard=keyboard,
            screen=screen,
            node=NODE,
            last_calls=partial(last_calls, record),
            new_id=lambda: RuleId(RandomIds()("rule")),
            now_ms=SystemClock().now_ms,
        ),
    )
    try:
        with RuntimeThread(
            os.environ,
            new_loop,
            tools_for=lambda _request: tools,
            audit=audit_into(record),
            rules_for=lambda _request: desk.rules,
        ) as runtime:
            return TerminalChat(runtime, screen, keyboard, choice, desk).talk()
    except BrokenPipeError:
        return fall_silent(sys.stdout)


def typed_before(data: DataFolder) -> InputHistory | None:
    """What was typed in earlier chats; none, where there is no place to keep it."""
    try:
        data.create()
    except StartFailed as error:
        say(f"What you type is not kept. {error.message} {error.hint}")
        return None
    return InputHistory(data.path / "chat-history")


class TerminalChat:
    """One conversation between a person at `keyboard` and `screen` and whatever `runtime` asks."""

    def __init__(
        self, runtime: RuntimeThread, screen: Screen, keyboard: Keyboard, choice: Choice, desk: ToolDesk
    ) -> None:
        self.conversation = Conversation(NODE, 0)
        self._runtime = runtime
        self._screen = screen
        self._keyboard = keyboard
        self._choice = choice
        self._desk = desk
        self._again: Callable[[], None] | None = None
        """What an empty line does: a reply that failed is asked for once more, one at its limit of calls goes on."""
        self._interrupts = 0
        self._clock = SystemClock()

    def talk(self) -> int:
        """Until the person leaves: 0."""
        self._runtime.run(look_around(self._runtime.library, self._choice.provider))
        self._greet()
        with on_interrupt(self._stop), suppress(EOFError, KeyboardInterrupt):
            while True:
                text = self._typed()
                self._screen.typed()
                self._interrupts = 0
                self._take(text)
        self._screen.end_line()
        return 0

    def _typed(self) -> str:
        """What the person says next. Raises `EOFError`, and `KeyboardInterrupt` at the second Ctrl-C in a row."""
        try:
            with interruptible():
                return self._keyboard.message(PROMPT)
        except KeyboardInterrupt:
            self._screen.line("")
            self._screen.line("Ctrl-C once more, or Ctrl-D, leaves.", "dim")
        with interruptible():
            return self._keyboard.message(PROMPT)

    def _greet(self) -> None:
        if not self._keyboard.interactive:
            return
        provider = self._runtime.call(lambda: self._runtime.library.directory.resolve(self._choice.provider))
        if provider is not None:
            model = self._choice.model or self._default_model() or "no model chosen"
            self._screen.line(f"{provider.name}, {model}", "strong")
        if self._choice.tools:
            self._screen.line(f"Tools work in {os.getcwd()} and ask before they change anything.", "dim")
            if self._desk.rules:
                self._list_rules()
        self._screen.line(HELP, "dim")

    def _take(self, text: str) -> None:
        """One message of the person. Raises `KeyboardInterrupt` and `EOFError` where they want to go."""
        if not text.strip():
            if self._again is not None:
                self._again()
            return
        if self._choice.tools and text.split()[0] == RULES:
            self._rules(text.split()[1:])
            return
        call = detect_slash_command(text)
        if call is not None:
            self._command(call)
            return
        self.conversation.append(user_message(text))
        self._answer(self._request())

    # Slash commands ---------------------------------------------------------------------------------------------------

    def _command(self, call: SlashCall) -> None:
        result = call.command.run(self._slash_context(call.argument))
        for action in result.actions:
            match action:
                case ClearTranscript():
                    self.conversation = Conversation(NODE, 0)
                    self._again = None
                    self._screen.line("The conversation is empty.", "dim")
                case Configure(model=model, system=system):
                    self._choice.model = model or self._choice.model
                    self._choice.system = system or self._choice.system
                    for told in call.command.run(self._slash_context("")).actions:
                        if isinstance(told, Note):
                            self._screen.line(told.text, "dim")
                case Note(words):
                    self._screen.line(words, "dim")

    def _slash_context(self, argument: str) -> SlashContext:
        return SlashContext(
            argument=argument,
            model=self._choice.model,
            default_model=self._default_model(),
            system=self._choice.system,
            report=conversation_cost(self.conversation.messages),
        )

    def _default_model(self) -> str | None:
        library = self._runtime.library
        provider = self._runtime.call(lambda: library.directory.resolve(self._choice.provider))
        chosen = library.settings.default_model if self._choice.provider is None else None
        return chosen or (provider.model if provider is not None else None)

    # Rules ------------------------------------------------------------------------------------------------------------

    def _rules(self, words: Sequence[str]) -> None:
        """List what is remembered, or take back the rules with these numbers."""
        rules = self._desk.rules
        chosen = [rules[int(word) - 1] for word in words if word.isdecimal() and 0 < int(word) <= len(rules)]
        if len(chosen) < len(words):
            self._screen.line(f"{RULES} lists what is remembered; {RULES} 2 takes the second of them back.", "warning")
            return
        for rule in chosen:
            try:
                self._desk.forget(rule)
            except (SaveFailed, StartFailed) as error:
                self._screen.line(f"{error.message} {error.hint}".strip(), "error")
        self._list_rules()

    def _list_rules(self) -> None:
        if not self._desk.rules:
            self._screen.line("Nothing is remembered about tools here.", "dim")
        for number, rule in enumerate(self._desk.rules, 1):
            self._screen.line(f"{number}  {words_of(rule)}", "dim")

    # Turns ------------------------------------------------------------------------------------------------------------

    def _request(self) -> SendRequest:
        library = self._runtime.library
        # The default model belongs to the default provider: to another it would mean nothing.
        default = library.settings.default_model if self._choice.provider is None else None
        return SendRequest(
            node=NODE,
            messages=self.conversation.messages,
            provider=self._choice.provider,
            model=self._choice.model or default,
            system=self._choice.system,
            folder=os.getcwd() if self._choice.tools else None,
        )

    def _answer(self, request: SendRequest, *, resuming: bool = False) -> None:
        """Show one turn as it comes, decide its cards, and say what it used or why it failed."""
        self.conversation = Conversation(NODE, 0, request.messages)
        self._again = None
        with self._keyboard.silent():
            self._runtime.begin(request, resuming=resuming)
            result = self._follow(Reply(self._screen))
        known = {message.id for message in request.messages}
        self._report(result, [message for message in self.conversation.messages if message.id not in known])

    def _stop(self) -> None:
        self._interrupts += 1
        if self._interrupts >= IMPATIENT:
            raise KeyboardInterrupt
        self._runtime.stop(NODE)

    def _follow(self, reply: Reply) -> SendResult:
        waiting: deque[ToolCall] = deque()
        while True:
            said = self._runtime.inbox.get()
            if isinstance(said, SendResult):
                return said
            now_ms = self._clock.now_ms()
            self.conversation.apply(*said, at=now_ms)
            waiting.extend(reply.show(said, now_ms))
            while waiting and self._runtime.inbox.empty():
                call = waiting.popleft()
                if reply.is_open(call.id):
                    self._decide(call)

    def _report(self, result: SendResult, turn: Sequence[Message]) -> None:
        line = usage_line(turn, self.conversation.messages)
        if line:
            self._screen.line(line, "dim")
        if result.stop_reason == "stopped":
            self._screen.line("Stopped.", "warning")
        if result.stop_reason == "max_iterations":
            self._again = lambda: self._answer(self._request(), resuming=True)
            self._screen.line("Press Enter to let it go on.", "dim")
        if not result.ok:
            self._again = self._try_again
            self._screen.line(f"{result.error or 'There was no answer.'} {result.hint}".strip(), "error")
            self._screen.line("Press Enter to try again.", "dim")

    def _try_again(self) -> None:
        """The same question, without the attempt that failed (W13)."""
        messages = list(self.conversation.messages)
        while messages and messages[-1].role != "user":
            messages.pop()
        self._answer(replace(self._request(), messages=messages))

    # Cards ------------------------------------------------------------------------------------------------------------

    def _decide(self, call: ToolCall) -> None:
        """Ask about a call until there is a decision (T5, T6). Ctrl-C stops the turn instead."""
        args_json = call.args_json
        rule: Rule | None = None
        try:
            with interruptible():
                while True:
                    edited = replace_struct(call, args_json=args_json)
                    pressed = self._pressed(call, can_remember=self._desk.can_remember(edited))
                    if pressed == "e":
                        args_json = self._edited(args_json)
                        edited = replace_struct(call, args_json=args_json)
                        self._screen.show(panel(edited, own_card(edited), edited=edited != call))
                    elif pressed == "r":
                        rule = self._desk.ask(edited)
                        if rule is not None:
                            pressed = "a" if rule.action == "allow" else "d"
                    if pressed in "ad":
                        break
                reason = self._keyboard.line("Why? (Enter for no reason) ").strip() if pressed == "d" else ""
        except KeyboardInterrupt:
            self._stop()
            return
        decision: Decision = "approve" if pressed == "a" else "deny"
        approve = self._runtime.library.runtime.approve
        counted = self._runtime.call(lambda: approve(NODE, call.id, decision, args_json=args_json, reason=reason))
        if not counted:
            self._screen.line("Too late: this call is over.", "warning")
        elif rule is not None:
            self._keep(rule)

    def _pressed(self, call: ToolCall, *, can_remember: bool) -> str:
        """The key that answers for a call."""
        remember, keys = (", [R]emember", "ader") if can_remember else ("", "ade")
        question = f"[A]pprove, [D]eny{remember} or [E]dit {visible_line(call.name)}? "
        pressed = self._keyboard.key(keys, lambda: self._screen.flow("question", question, "strong"))
        self._screen.flow("question", f"{pressed}\n")
        return pressed

    def _keep(self, rule: Rule) -> None:
        try:
            self._desk.keep(rule)
        except (SaveFailed, StartFailed) as error:
            self._screen.line(f"This is not remembered. {error.message} {error.hint}".strip(), "error")

    def _edited(self, args_json: str) -> str:
        """The arguments as the person wants them. What is no JSON object is told and edited on."""
        typed = args_json
        while True:
            typed = self._keyboard.line("arguments: ", typed)
            problem = problem_of(typed)
            if problem is None:
                return typed
            self._screen.line(problem, "error")
