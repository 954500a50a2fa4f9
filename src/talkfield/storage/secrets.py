"""Keys of providers: in the system's keyring, else in a file that only its owner can read (X2).

`keys.json` says of each provider where its key is; where there is no keyring it holds the key itself. A key is kept
together with the origin it may be sent to, in the same place, and given for no other one (D15). Keys from the
environment never come here.

Threads may call at once; they take turns. No message, notice or `repr` holds a key.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from talkfield.core.ids import ProviderId
from talkfield.errors import InvalidArgument, ProjectTooNew, ProjectUnreadable
from talkfield.storage.atomic import PRIVATE, advice, reason, write_atomically
from talkfield.storage.damage import Now, local_time, set_aside
from talkfield.storage.keyring_access import BoundedKeyring, Keyring, KeyringFailed, system_keyring

VERSION = 1
DEFAULT_PORTS = {"http": 80, "https": 443}


class StoredKey(msgspec.Struct, frozen=True, omit_defaults=True):
    """One provider's entry: the key and its origin, or (`store: keyring`) that both are in the keyring."""

    origin: str = ""
    key: str = ""
    store: str = "file"

    def __repr__(self) -> str:
        return f"StoredKey(origin={self.origin!r}, store={self.store!r})"


class KeyFile(msgspec.Struct, frozen=True):
    """What `keys.json` holds. `vault` tells this data folder's entries in the keyring from those of others."""

    version: int = VERSION
    vault: str = ""
    keys: dict[str, StoredKey] = {}


class Secrets:
    """A `runtime.config.SecretStore`. `notices` says, one line each, what went wrong and was got round."""

    def __init__(
        self,
        path: Path,
        *,
        environ: Mapping[str, str] = os.environ,
        open_keyring: Callable[[], Keyring | None] = system_keyring,
        keyring_timeout_s: float = 10.0,
        now: Now = local_time,
    ) -> None:
        self.path = path
        self.now = now
        self.notices: list[str] = []
        self.keyring = BoundedKeyring(environ, open_keyring, keyring_timeout_s)
        self.file: KeyFile | None = None
        self.known: dict[str, StoredKey] = {}
        self.turnstile = threading.RLock()

    def get(self, provider: ProviderId, origin: str) -> str | None:
        """The key to send to `origin`. None: there is none for it, or the keyring does not answer (see `notices`).

        Raises `ProjectTooNew`, `ProjectUnreadable`.
        """
        with self.turnstile:
            entry = self.entry(provider)
        if entry is None:
            return None
        with contextlib.suppress(InvalidArgument):
            if origin_of(origin) == entry.origin:
                return entry.key
        return None

    def put(self, provider: ProviderId, origin: str, key: str) -> None:
        """Keep a key for `origin`; an empty one is removed. Raises `InvalidArgument`, `SaveFailed`."""
        key = key.strip()
        if not key:
            self.remove(provider)
            return
        if not (key.isascii() and key.isprintable()):
            raise InvalidArgument("A key has no line breaks or special characters.", hint="Copy the key again.")
        entry = StoredKey(origin=origin_of(origin), key=key)
        with self.turnstile:
            file = self.read()
            stored = entry
            with contextlib.suppress(KeyringFailed):
                self.keyring.put(self.name(file, provider), msgspec.json.encode(entry).decode())
                stored = StoredKey(store="keyring")
            self.write(msgspec.structs.replace(file, keys=file.keys | {provider: stored}))
            self.known[provider] = entry

    def remove(self, provider: ProviderId) -> None:
        """Forget the provider's key; without one it is nothing. Raises `SaveFailed`."""
        with self.turnstile:
            file = self.read()
            self.known.pop(provider, None)
            stored = file.keys.get(provider)
            if stored is None:
                return
            if stored.store == "keyring":
                try:
                    self.keyring.remove(self.name(file, provider))
                except KeyringFailed as error:
                    self.notices.append(f"The key of {provider} may still be in the system's keyring: {error}.")
            self.write(
                msgspec.structs.replace(file, keys={name: key for name, key in file.keys.items() if name != provider})
            )

    def entry(self, provider: ProviderId) -> StoredKey | None:
        """The key with its origin, wherever it is. What was read once is remembered."""
        if provider in self.known:
            return self.known[provider]
        file = self.read()
        stored = file.keys.get(provider)
        if stored is not None and stored.store == "keyring":
            stored = self.from_keyring(file, provider)
        if stored is not None:
            self.known[provider] = stored
        return stored

    def from_keyring(self, file: KeyFile, provider: ProviderId) -> StoredKey | None:
        try:
            text = self.keyring.get(self.name(file, provider))
            if text is None:
                raise KeyringFailed("it holds no such key")
            return msgspec.json.decode(text, type=StoredKey)
        except (KeyringFailed, msgspec.MsgspecError) as error:
            why = str(error) if isinstance(error, KeyringFailed) else "it holds something else"
            self.notices.append(
                f"The key of {provider} could not be had from the system's keyring: {why}. Unlock it and start again,"
                " or enter the key again."
            )
            return None

    def name(self, file: KeyFile, provider: ProviderId) -> str:
        return f"{file.vault}/{provider}"

    def read(self) -> KeyFile:
        """The key file, read once. A damaged one is set aside (ST9)."""
        if self.file is None:
            self.file = self.read_file()
        return self.file

    def read_file(self) -> KeyFile:
        fresh = KeyFile(vault=secrets.token_hex(8))
        try:
            data = self.path.read_bytes()
            if os.name != "nt" and stat.S_IMODE(self.path.stat().st_mode) & 0o077:
                self.path.chmod(PRIVATE)
                self.notices.append(f"Others could read {self.path}; now only you can. Consider new keys.")
        except FileNotFoundError:
            return fresh
        except OSError as error:
            raise ProjectUnreadable(f"{self.path} could not be read: {reason(error)}.", hint=advice(error)) from error
        try:
            file = msgspec.json.decode(data, type=KeyFile)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            if newer(data):
                raise ProjectTooNew(f"{self.path} was written by a newer Talkfield.") from None
            aside = set_aside(self.path, self.now())
            self.notices.append(f"{self.path} could not be read; it is kept as {aside}. Enter your keys again.")
            return fresh
        if file.version > VERSION:
            raise ProjectTooNew(f"{self.path} was written by a newer Talkfield (version {file.version}).")
        return file if file.vault else msgspec.structs.replace(file, vault=fresh.vault)

    def write(self, file: KeyFile) -> None:
        write_atomically(self.path, msgspec.json.format(msgspec.json.encode(file), indent=2) + b"\n")
        self.file = file


def newer(data: bytes) -> bool:
    """Whether the bytes are a key file of a version that this one cannot know."""
    try:
        tree: Any = msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(tree, dict) and isinstance(tree.get("version"), int) and tree["version"] > VERSION


def origin_of(url: str) -> str:
    """`scheme://host:port` of an address, the port always said. Raises `InvalidArgument` when it is none."""
    try:
        parts = urlsplit(url.strip())
        scheme, host, port = parts.scheme.lower(), parts.hostname, parts.port
    except ValueError:
        scheme, host, port = "", None, None
    if scheme not in DEFAULT_PORTS or not host:
        raise InvalidArgument("The address has to begin with https:// or http:// and a host name.", place="baseUrl")
    host = f"[{host}]" if ":" in host else host
    return f"{scheme}://{host}:{port if port is not None else DEFAULT_PORTS[scheme]}"
