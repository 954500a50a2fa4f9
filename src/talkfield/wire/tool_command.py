"""What a browser may ask about tools: decisions, rules, and servers of tools."""

from __future__ import annotations

from typing import Literal

import msgspec

from talkfield.core.ids import CallId, NodeId, RuleId
from talkfield.core.rule import RuleAction, RuleKind
from talkfield.wire.command import CommandBase


class Remember(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True
):
    """Keep a decision for calls to come (T7): for this chat or the whole project, and which calls. A card's `offers`
    say what may be kept of it.
    """

    scope: Literal["chat", "project"]
    kind: RuleKind
    pattern: str = ""


class DecideCall(CommandBase, frozen=True, kw_only=True, tag="decideCall"):
    """Approve or deny one awaiting tool call, possibly with edited arguments or a reason the model sees (T5, T6).

    `digest` is that of the card that was looked at: when it is another by now, nothing is decided. `remember` keeps the
    decision as a rule, whose id is in the ack's `made`.
    """

    node: NodeId
    call: CallId
    decision: Literal["approve", "deny"]
    args_json: str | None = None
    reason: str = ""
    digest: str | None = None
    remember: Remember | None = None


class SaveRule(CommandBase, frozen=True, kw_only=True, tag="saveRule"):
    """Add a rule about tool calls, or change the one named `rule` (T7). `node` None: for the whole project.

    The ack's `made` holds its id.
    """

    action: RuleAction
    tool: str
    kind: RuleKind
    pattern: str = ""
    node: NodeId | None = None
    rule: RuleId | None = None


class RemoveRule(CommandBase, frozen=True, kw_only=True, tag="removeRule"):
    """Forget a rule; what it let run stays as it is."""

    rule: RuleId


class SaveToolServer(CommandBase, frozen=True, kw_only=True, tag="saveToolServer"):
    """Add a server of tools, or change the one named `replaces`: either a command that is started, or an address (T10).

    `command_line` is a command as a person types it, taken apart into words; no shell reads it. `env` and `headers`
    None keep what is stored. The ack's `made` holds its name.
    """

    name: str
    command: tuple[str, ...] = ()
    command_line: str = ""
    url: str = ""
    env: dict[str, str] | None = None
    headers: dict[str, str] | None = None
    enabled: bool = True
    replaces: str | None = None


class EnableToolServer(CommandBase, frozen=True, kw_only=True, tag="enableToolServer"):
    """Let a person's own server run when it is needed, or not. One that runs is ended."""

    name: str
    enabled: bool


class SwitchTools(CommandBase, frozen=True, kw_only=True, tag="switchTools"):
    """Which tools a chat is not told of: names of tools, or of servers and packages for all of theirs (T10)."""

    node: NodeId
    off: tuple[str, ...]


class RemoveToolServer(CommandBase, frozen=True, kw_only=True, tag="removeToolServer"):
    """Forget a server of tools; it is ended."""

    name: str


class DecideToolServers(CommandBase, frozen=True, kw_only=True, tag="decideToolServers"):
    """Whether the servers that the project's `.mcp.json` names may be started. `digest` is that of their records: for
    exactly this file, and asked about again when it changes.
    """

    digest: str
    allow: bool


class RestartToolServer(CommandBase, frozen=True, kw_only=True, tag="restartToolServer"):
    """Start a server of tools anew, also one that has just failed."""

    name: str
