"""How a record becomes text and comes back. Every store goes through here, so all of them keep the same.

JSON and SQLite are UTF-8, Python strings need not be: a lone surrogate (half of an emoji, cut by a provider or pasted)
cannot be encoded. Refusing it would block every later save of the project, so a surrogate pair becomes its character
and a lone surrogate U+FFFD. For the same reason a place or size that is no finite number becomes 0: JSON would turn it
into null, and the next load would refuse the record.
"""

from __future__ import annotations

import re
from dataclasses import replace
from math import isfinite
from typing import Any

import msgspec

from talkfield.core.ids import ProjectId
from talkfield.core.records import DocumentRecord, NodeRecord
from talkfield.core.shelf import ShelfItem
from talkfield.errors import InvalidArgument, SaveFailed
from talkfield.storage.base import StoredProject

ENCODER = msgspec.json.Encoder()
DECODER: msgspec.json.Decoder[DocumentRecord] = msgspec.json.Decoder(DocumentRecord)
ITEM_DECODER = msgspec.json.Decoder(ShelfItem)
DIGEST = re.compile(r'"digest":"([0-9a-f]{64})"')


def storable(record: DocumentRecord) -> DocumentRecord:
    """The record itself, or its nearest form that can be stored.

    Raises `SaveFailed` when there is none: it holds what JSON knows not, or is nested too deep.
    """
    if isinstance(record, NodeRecord):
        record = on_the_canvas(record)
    try:
        try:
            ENCODER.encode(record)
        except UnicodeEncodeError:
            return msgspec.convert(without_surrogates(msgspec.to_builtins(record)), type(record))
    except (TypeError, ValueError, RecursionError) as error:
        raise SaveFailed(
            f"The {kind_of(record)} {clean(record.id)} cannot be stored: {error}.", hint="Delete it, and report this."
        ) from error
    return record


def storable_item(item: ShelfItem) -> ShelfItem:
    """The same for an item of the shelf."""
    item = msgspec.structs.replace(item, node=on_the_canvas(item.node))
    try:
        try:
            ENCODER.encode(item)
        except UnicodeEncodeError:
            return msgspec.convert(without_surrogates(msgspec.to_builtins(item)), ShelfItem)
    except (TypeError, ValueError, RecursionError) as error:
        raise SaveFailed(
            f"What was taken out of {clean(item.node.title) or item.node.id} cannot be stored: {error}.",
            hint="Undo it, and report this.",
        ) from error
    return item


def encode_item(item: ShelfItem) -> str:
    return ENCODER.encode(item).decode()


def decode_item(text: str) -> ShelfItem:
    """Raises `msgspec.MsgspecError`."""
    return ITEM_DECODER.decode(text)


def storable_project(project: StoredProject) -> StoredProject:
    """The project itself, its texts cleaned. Raises `InvalidArgument` for a folder whose name is no Unicode text."""
    if project.folder is not None and clean(project.folder) != project.folder:
        raise InvalidArgument("The folder's path has characters that are no text.", place="folder")
    return replace(project, id=ProjectId(clean(project.id)), title=clean(project.title))


def encode(record: DocumentRecord) -> str:
    """The JSON of a record that is `storable`."""
    return ENCODER.encode(record).decode()


def decode(text: str) -> DocumentRecord:
    """The record in a JSON text. Raises `msgspec.MsgspecError` when it is none."""
    return DECODER.decode(text)


def digests_in(text: str) -> list[str]:
    """Digests of the attachments that are named in the JSON of a record or an item of the shelf."""
    return DIGEST.findall(text)


def kind_of(record: DocumentRecord) -> str:
    """The record's name in JSON: `node`, `edge`, `message`, `toolCall`."""
    return str(type(record).__struct_config__.tag)


def node_of(record: DocumentRecord) -> str | None:
    """The node a message or a tool call belongs to."""
    return getattr(record, "node_id", None)


def clean(text: str) -> str:
    """`text` with surrogate pairs joined and lone surrogates replaced by U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def without_surrogates(value: Any) -> Any:
    """A tree of built-in values with every string and key cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_surrogates(item) for item in value]
    return value


def on_the_canvas(node: NodeRecord) -> NodeRecord:
    wrong = {
        name: 0.0
        for name, number in (("x", node.x), ("y", node.y), ("width", node.width), ("height", node.height))
        if not isfinite(number)
    }
    return msgspec.structs.replace(node, **wrong) if wrong else node
