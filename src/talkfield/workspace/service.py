"""What every open project shares: the outside world, as the composition root hands it in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from talkfield.core.file_state import FileContent
from talkfield.core.ids import Ids
from talkfield.core.messages import Message, MessageCost, Usage
from talkfield.core.records import ProviderRecord
from talkfield.runtime.config import ProviderDirectory, ToolServerDirectory
from talkfield.runtime.configuration_book import ConfigurationBook
from talkfield.runtime.ports import Clock, ProviderConfig, SendRequest, Tool, ToolContext
from talkfield.storage.base import BlobStore, DataKeeper, ProjectStore
from talkfield.workspace.derived import ContextLimit
from talkfield.workspace.folders import OpenFile

Price = Callable[[str, ProviderConfig, Usage, Decimal | None], MessageCost | None]


class WriteFile(Protocol):
    """Writes a file of the project, or adds to it, as confined as tools are; says what it did. Raises `ToolError`."""

    def __call__(self, path: str, text: str, context: ToolContext, /, *, append: bool) -> Awaitable[str]: ...


class ReadFile(Protocol):
    """Reads a file of the project, as confined as tools are; None where its signature is still `known`.

    Raises `ToolError`, also for what is no text or too large.
    """

    def __call__(self, path: str, context: ToolContext, known: str, /) -> Awaitable[FileContent | None]: ...


class FindFiles(Protocol):
    """Paths of the project's files that hold some text, the first ones. Raises `ToolError`."""

    def __call__(self, like: str, context: ToolContext, limit: int, /) -> Awaitable[tuple[str, ...]]: ...


@dataclass(frozen=True, kw_only=True)
class Services:
    """`price` stamps a cost (P7); `context_limit` knows models' windows; `log` takes lines for the operator.

    `open_file` gives the project file of a folder; without it there are none. No tool enters `closed_folders`.
    `prepare_tools` is awaited before each provider call; `tools_for` is asked after it. `files` gives attachments'
    bytes by digest, `has_file` says whether one is here. `described` adds to a provider's models what is known of them.
    """

    store: ProjectStore
    blobs: BlobStore
    directory: ProviderDirectory
    configuration: ConfigurationBook
    ids: Ids
    clock: Clock
    price: Price
    context_limit: ContextLimit
    check_arguments: Callable[[Mapping[str, Any], Any], str | None]
    tools_for: Callable[[SendRequest], Sequence[Tool]]
    log: Callable[[str], None]
    open_file: OpenFile | None = None
    closed_folders: tuple[str, ...] = ()
    tool_servers: ToolServerDirectory | None = None
    prepare_tools: Callable[[SendRequest], Awaitable[None]] | None = None
    files: Callable[[Sequence[Message]], Awaitable[Mapping[str, bytes]]] | None = None
    has_file: Callable[[str], bool] = lambda _digest: False
    described: Callable[[ProviderRecord], ProviderRecord] = lambda record: record
    write_file: WriteFile | None = None
    """For links that write; without it none can."""
    read_file: ReadFile | None = None
    """For files on the canvas; without it none shows anything."""
    find_files: FindFiles | None = None
    """For choosing one of them."""
    data: DataKeeper | None = None
    """For backups; without it nothing is kept."""
