"""The operating system's keyring, where there is a real one, with a bound on how long it may take.

A keyring may ask a person to unlock it, wait for a desktop that is not there, or fail in ways of its own. None of that
may keep Talkfield from starting: whatever goes wrong is one exception, `KeyringFailed`, and after an answer that did
not come in time the keyring is not asked again by this process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

KEYRING_VARIABLE = "TALKFIELD_KEYRING"
"""Environment variable; `0` keeps keys in the file."""

SERVICE = "talkfield"
TIMEOUT_S = 10.0
REAL_PRIORITY = 1
"""What the keyring library gives to backends that it recommends; plain files and dummies are below."""

Result = TypeVar("Result")


class KeyringFailed(Exception):
    """There is no usable keyring, or it failed; callers keep the key in the file instead."""


class Keyring(Protocol):
    """What is used of a backend of the keyring library."""

    def get_password(self, service: str, username: str) -> str | None: ...

    def set_password(self, service: str, username: str, password: str) -> None: ...

    def delete_password(self, service: str, username: str) -> None: ...


def system_keyring() -> Keyring | None:
    """The backend for this system, or None when there is no real one. May raise anything."""
    import keyring  # 200 ms, and only needed by who has keys

    backend = keyring.get_keyring()
    usable: Keyring | None = backend if backend.priority >= REAL_PRIORITY else None
    return usable


class BoundedKeyring:
    """A keyring that answers within `timeout_s` or raises `KeyringFailed`. Opened at first use."""

    def __init__(
        self, environ: Mapping[str, str], open_keyring: Callable[[], Keyring | None], timeout_s: float = TIMEOUT_S
    ) -> None:
        self.open_keyring = open_keyring
        self.timeout_s = timeout_s
        self.backend: Keyring | None = None
        self.opened = False
        self.given_up = environ.get(KEYRING_VARIABLE, "").strip() == "0"

    def get(self, name: str) -> str | None:
        return self.bounded(lambda: self.usable().get_password(SERVICE, name))

    def put(self, name: str, value: str) -> None:
        def put_and_look() -> bool:
            keyring = self.usable()
            keyring.set_password(SERVICE, name, value)
            return keyring.get_password(SERVICE, name) == value

        if not self.bounded(put_and_look):
            raise KeyringFailed("it did not keep what it was given")

    def remove(self, name: str) -> None:
        self.bounded(lambda: self.usable().delete_password(SERVICE, name))

    def usable(self) -> Keyring:
        if not self.opened:
            self.backend = self.open_keyring()
            self.opened = True
        if self.backend is None:
            raise KeyringFailed("there is none on this system")
        return self.backend

    def bounded(self, call: Callable[[], Result]) -> Result:
        """What `call` gives, from a thread of its own: one that hangs cannot be ended, only left behind."""
        if self.given_up:
            raise KeyringFailed("it is not used")
        results: list[Result] = []
        errors: list[BaseException] = []

        def run() -> None:
            try:
                results.append(call())
            except BaseException as error:  # backends raise errors of many libraries, all with one meaning here
                errors.append(error)

        thread = threading.Thread(target=run, name="keyring", daemon=True)
        thread.start()
        thread.join(self.timeout_s)
        if results:
            return results[0]
        if errors:
            raise KeyringFailed(type(errors[0]).__name__) from errors[0]
        self.given_up = True
        raise KeyringFailed("it did not answer")
