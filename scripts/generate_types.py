"""Writes `web/src/wire/generated.ts` from the Python structs: the one place where these types are defined (M8).

Walks the type hints rather than a JSON Schema, which would lose the id brands. `--check` compares instead of writing.
"""

from __future__ import annotations

import inspect
import sys
import types
import typing
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import msgspec

from talkfield import wire
from talkfield.core import changes, events, links, messages, nodes, records, shelf
from talkfield.server import (
    api,
    data_http,
    exchange_http,
    file_http,
    link_http,
    search_http,
    tool_http,
    usage_http,
)
from talkfield.wire import client, server

TARGET = Path(__file__).resolve().parent.parent / "web" / "src" / "wire" / "generated.ts"

SCALARS: dict[Any, str] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
    Decimal: "string",
    Any: "unknown",
    object: "unknown",
}

UNIONS: dict[str, Any] = {
    "NodeData": nodes.NodeData,
    "LinkBehavior": links.LinkBehavior,
    "WireRecord": records.Record,
    "DocumentRecord": records.DocumentRecord,
    "Change": changes.Change,
    "ChatEvent": events.ChatEvent,
    "Command": client.Command,
    "ClientMessage": client.ClientMessage,
    "ServerMessage": server.ServerMessage,
}

ALIASES: dict[str, Any] = {
    "Role": messages.Role,
    "Finish": messages.Finish,
    "CallStatus": messages.CallStatus,
    "DoneReason": messages.DoneReason,
    "ProjectState": records.ProjectState,
    "RunPhase": records.RunPhase,
    "ProviderOrigin": records.ProviderOrigin,
    "ProviderStatus": records.ProviderStatus,
    "NodeColor": nodes.NodeColor,
    "AppendField": changes.AppendField,
    "FileKind": messages.FileKind,
    "ReceiptSource": messages.ReceiptSource,
    "LinkState": records.LinkState,
}

ANSWERS: tuple[type[msgspec.Struct], ...] = (
    api.ShelfList,
    file_http.ProjectFiles,
    link_http.LinkDetail,
    shelf.ShelfItem,
    search_http.SearchResults,
    usage_http.UsageTable,
    exchange_http.ImportedFile,
    data_http.DataFolderState,
    data_http.MadeFile,
    tool_http.RecentCalls,
    tool_http.RuleDescription,
    tool_http.RuleTrial,
)
"""What the page asks for by HTTP instead of holding it all the time."""


class TypeScript:
    """Collects declarations while type hints are turned into references to them."""

    def __init__(self) -> None:
        self.interfaces: dict[str, str] = {}
        self.brands: dict[str, str] = {}

    def reference(self, hint: Any) -> str:
        if isinstance(hint, type) and hint in SCALARS:
            return SCALARS[hint]
        if hint is Any:
            return "unknown"
        if isinstance(hint, typing.NewType):
            self.brands[hint.__name__] = self.reference(hint.__supertype__)
            return hint.__name__
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Literal:
            return " | ".join(f'"{value}"' if isinstance(value, str) else str(value).lower() for value in arguments)
        if origin in (Union, types.UnionType):
            return " | ".join(dict.fromkeys(self.reference(member) for member in arguments))
        if origin in (list, tuple, set, frozenset):
            inner = self.reference(arguments[0])
            return f"readonly ({inner})[]" if " | " in inner else f"readonly {inner}[]"
        if origin is dict:
            return f"Readonly<Record<{self.reference(arguments[0])}, {self.reference(arguments[1])}>>"
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            self.interface(hint)
            return hint.__name__
        raise TypeError(f"no TypeScript for {hint!r}")

    def interface(self, struct: type[msgspec.Struct]) -> None:
        name = struct.__name__
        if name in self.interfaces:
            return
        self.interfaces[name] = ""  # reserved: a struct may refer to itself
        config = struct.__struct_config__
        hints = typing.get_type_hints(struct)
        wire_names = dict(zip(struct.__struct_fields__, struct.__struct_encode_fields__, strict=True))
        lines = [] if config.tag is None else [f'  readonly {config.tag_field}: "{config.tag}";']
        for field in msgspec.structs.fields(struct):
            optional = "" if field.required or not config.omit_defaults else "?"
            lines.append(f"  readonly {wire_names[field.name]}{optional}: {self.reference(hints[field.name])};")
        about = " ".join((inspect.getdoc(struct) or "").split("\n\n")[0].split())
        self.interfaces[name] = "\n".join([f"/** {about} */", f"export interface {name} {{", *lines, "}\n"])

    def render(self) -> str:
        unions = [f"export type {name} = {self.reference(hint)};\n" for name, hint in UNIONS.items()]
        aliases = [f"export type {name} = {self.reference(hint)};\n" for name, hint in ALIASES.items()]
        for answer in ANSWERS:
            self.interface(answer)
        brands = [
            f'export type {name} = {base} & {{ readonly __brand: "{name}" }};\n'
            for name, base in sorted(self.brands.items())
        ]
        kinds = ", ".join(f'"{name}"' for name in nodes.KINDS)
        sizes = "\n".join(
            f"  {kind.name}: {{ width: {kind.width}, height: {kind.height}, "
            f"minWidth: {kind.min_width}, minHeight: {kind.min_height} }},"
            for kind in nodes.KINDS.values()
        )
        codes = "\n".join(f"  {name}: {code}," for name, code in server.CLOSE_CODES.items())
        constants = [
            f"export const PROTOCOL_VERSION = {wire.PROTOCOL_VERSION};\n",
            f"export const NODE_KINDS = [{kinds}] as const;\n",
            f"export const NODE_SIZES = {{\n{sizes}\n}} as const;\n",
            f"export const CLOSE_CODES = {{\n{codes}\n}} as const;\n",
        ]
        head = "// Generated by scripts/generate_types.py from the Python structs. Do not edit: run `make types`.\n"
        parts = [*brands, *aliases, *self.interfaces.values(), *unions, *constants]
        return head + "\n" + "\n".join(parts)


def main() -> int:
    text = TypeScript().render()
    if "--check" in sys.argv:
        current = TARGET.read_text() if TARGET.exists() else ""
        if current != text:
            print("web/src/wire/generated.ts is out of date; run: make types", file=sys.stderr)
            return 1
        return 0
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
