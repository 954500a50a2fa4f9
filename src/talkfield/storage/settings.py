"""The settings file: what a person set on this machine, as JSON they may read and edit by hand.

What this version does not know is written back as it was, so a file can go back and forth between versions. What it
cannot understand is never overwritten: the file (or a copy of it, when the rest of it is fine) is set aside first.
Keys are not in it (`storage/secrets.py`), but headers may be secret too: only its owner may read it.

Threads may call at once; they take turns.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import msgspec

from talkfield.core.records import SETTINGS_ID, SettingsRecord
from talkfield.core.tool_server import ToolServer, checked_server
from talkfield.errors import ProjectTooNew, ProjectUnreadable
from talkfield.runtime.config import Configuration, ProviderSettings
from talkfield.storage.atomic import advice, reason, write_atomically
from talkfield.storage.codec import without_surrogates
from talkfield.storage.damage import Now, free_name, local_time, set_aside

VERSION = 1

Tree = dict[str, Any]


class ConfigurationFile:
    """A `runtime.config.ConfigurationStore` on a file. `notices` says, one line each, what `load` found wrong."""

    def __init__(self, path: Path, *, now: Now = local_time) -> None:
        self.path = path
        self.now = now
        self.notices: list[str] = []
        self.turnstile = threading.Lock()

    def load(self) -> Configuration:
        """What is stored, or the defaults (see `notices`).

        Raises `ProjectTooNew`, and `ProjectUnreadable` where the file is there and cannot be read or set aside.
        """
        with self.turnstile:
            tree = self.read()
            if tree is None:
                return Configuration()
            version = tree.get("version")
            if isinstance(version, int) and version > VERSION:
                raise ProjectTooNew(f"{self.path} was written by a newer Talkfield (version {version}).")
            refused: list[str] = []
            configuration = configuration_of(tree, refused)
            if refused:
                self.notices.append(
                    f"{self.path} holds what Talkfield cannot use: {'; '.join(refused)}. The defaults are used instead;"
                    " the file is copied before it is next changed."
                )
            return configuration

    def save(self, configuration: Configuration) -> None:
        """Write it whole or not at all, with whatever else the file holds. Raises `SaveFailed`, `ProjectUnreadable`."""
        with self.turnstile:
            old = self.read() or {}
            refused: list[str] = []
            configuration_of(old, refused)
            if refused:
                write_atomically(free_name(self.path, self.now()), encoded(old))
            write_atomically(self.path, encoded(tree_of(configuration, old)))

    def read(self) -> Tree | None:
        """The file's JSON object. None: there is no file, or it was none and has been set aside."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ProjectUnreadable(f"{self.path} could not be read: {reason(error)}.", hint=advice(error)) from error
        try:
            return msgspec.json.decode(data, type=dict[str, Any])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            aside = set_aside(self.path, self.now())
            self.notices.append(
                f"{self.path} could not be read ({error}). The default settings are used; the file is kept as {aside}."
            )
            return None


def encoded(tree: Tree) -> bytes:
    return msgspec.json.format(msgspec.json.encode(without_surrogates(tree)), indent=2) + b"\n"


def configuration_of(tree: Tree, refused: list[str]) -> Configuration:
    """What the file's tree says. What has the wrong form is left at its default and named in `refused`."""
    settings = fields_of(SettingsRecord, tree.get("settings", {}), "settings", refused)
    settings["id"] = SETTINGS_ID
    providers: list[ProviderSettings] = []
    listed = tree.get("providers", [])
    for index, entry in enumerate(listed if isinstance(listed, list) else []):
        try:
            providers.append(msgspec.convert(entry, ProviderSettings))
        except msgspec.ValidationError as error:
            refused.append(f"providers[{index}]: {error}")
    if not isinstance(listed, list):
        refused.append("providers: not a list")
    learned: dict[str, Tree] = {}
    try:
        learned = msgspec.convert(tree.get("learned", {}), dict[str, Tree])
    except msgspec.ValidationError as error:
        refused.append(f"learned: {error}")
    servers: list[ToolServer] = []
    for index, entry in enumerate(entries(tree.get("toolServers"))):
        try:
            servers.append(checked_server(msgspec.convert(entry, ToolServer)))
        except ValueError as error:
            refused.append(f"toolServers[{index}]: {error}")
    files: dict[str, bool] = {}
    try:
        files = msgspec.convert(tree.get("serverFiles", {}), dict[str, bool])
    except msgspec.ValidationError as error:
        refused.append(f"serverFiles: {error}")
    return Configuration(
        settings=msgspec.convert(settings, SettingsRecord),
        providers=tuple(providers),
        learned=learned,
        tool_servers=tuple(servers),
        server_files=files,
    )


def fields_of(struct: type[msgspec.Struct], tree: Any, place: str, refused: list[str]) -> Tree:
    """The fields of `struct` that `tree` holds in the right form."""
    if not isinstance(tree, dict):
        refused.append(f"{place}: not an object")
        return {}
    good: Tree = {}
    for field in msgspec.structs.fields(struct):
        if field.encode_name not in tree or field.name == "id":
            continue
        try:
            msgspec.convert(tree[field.encode_name], field.type)
            good[field.encode_name] = tree[field.encode_name]
        except msgspec.ValidationError as error:
            refused.append(f"{place}.{field.encode_name}: {error}")
    return good


def tree_of(configuration: Configuration, old: Tree) -> Tree:
    """The file's new tree: what we know from `configuration`, the rest from `old`."""
    known = msgspec.to_builtins(configuration)
    settings = {name: value for name, value in known.get("settings", {}).items() if name not in ("record", "id")}
    unknown = {entry["id"]: entry for entry in entries(old.get("providers")) if isinstance(entry.get("id"), str)}
    providers = [
        merged(provider, unknown.get(provider["id"], {}), ProviderSettings) for provider in known.get("providers", [])
    ]
    ours = {"version": VERSION, "settings": merged(settings, old.get("settings"), SettingsRecord)}
    ours |= {"providers": providers, "learned": known.get("learned", {})}
    ours |= {name: known[name] for name in ("toolServers", "serverFiles") if name in known}
    return merged(ours, old, Configuration)


def merged(ours: Tree, old: Any, struct: type[msgspec.Struct]) -> Tree:
    """`ours`, and those fields of `old` that `struct` does not know."""
    if not isinstance(old, dict):
        return ours
    known = {field.encode_name for field in msgspec.structs.fields(struct)} | {"record"}
    return ours | {name: value for name, value in old.items() if name not in known}


def entries(value: Any) -> list[Tree]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
