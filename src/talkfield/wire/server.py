"""What the server says to a browser."""

from __future__ import annotations

from typing import Any

import msgspec

from talkfield.core.changes import Frame
from talkfield.core.ids import ProjectId
from talkfield.core.messages import Attachment
from talkfield.core.records import Record


class SlashCommandInfo(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A slash command for the composer's menu. `argument` is a placeholder, empty when it takes none."""

    name: str
    about: str
    argument: str = ""


class ToolInfo(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One of Talkfield's own tools, for chats of projects with a folder. `asks`: a person decides on each call."""

    name: str
    about: str
    asks: bool = False


class VendorInfo(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A preset for the form that adds a provider."""

    id: str
    name: str
    api: str
    base_url: str
    key_variable: str = ""
    docs: str = ""


class Welcome(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="type", tag="welcome"
):
    """Answer to `Hello` (CH3). `resumed`: only frames follow; else `records` is everything as of `seq`."""

    protocol: int
    version: str
    project: ProjectId
    epoch: str
    seq: int
    resumed: bool
    records: tuple[Record, ...] | None = None
    slash_commands: tuple[SlashCommandInfo, ...] = ()
    vendors: tuple[VendorInfo, ...] = ()
    project_tools: tuple[ToolInfo, ...] = ()


class Frames(msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", tag="frames"):
    """Commits, in order and without gaps (CH5, CH6)."""

    frames: tuple[Frame, ...]


class Ack(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="type", tag="ack"):
    """The command `id` is done; `seq` includes its effects (CH8). `made` holds ids of what it created.

    `text` is text that the command hands back to a composer, or by redo takes back from it, with the node it belongs to
    first in `made` (W4); `attachments` are the files that were with it.
    """

    id: str
    seq: int
    made: tuple[str, ...] = ()
    text: str | None = None
    attachments: tuple[Attachment, ...] = ()


class Rejected(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="type", tag="rejected"
):
    """The command `id` was refused and changed nothing; without `id`, the connection itself was refused."""

    code: str
    message: str
    hint: str = ""
    id: str | None = None


class Pong(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="pong"):
    """Still here. (CH10)"""


ServerMessage = Welcome | Frames | Ack | Rejected | Pong

CLOSE_CODES: dict[str, int] = {
    "going_away": 1001,
    "bad_message": 4000,
    "bad_protocol": 4001,
    "unauthorised": 4003,
    "unknown_project": 4004,
    "too_slow": 4008,
    "replaced": 4010,
}
"""WebSocket close codes of the channel, by what they mean (CH7, CH10)."""

JsonObject = dict[str, Any]
