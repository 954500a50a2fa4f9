"""Keys are kept in the keyring where there is one, else privately; given to their origin alone; and never shown."""

from __future__ import annotations

import json
import stat
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from storage.disk import files_up_to
from talkfield.core.ids import ProviderId
from talkfield.errors import InvalidArgument, ProjectTooNew, ProjectUnreadable, SaveFailed
from talkfield.storage.keyring_access import Keyring, system_keyring
from talkfield.storage.secrets import Secrets, origin_of

NOON = datetime(2026, 8, 14, 12, 30, 15)
ORIGIN = "https://api.example"
X = ProviderId("x")
CANARY = "sk-canary-1234"


class DictKeyring:
    """A keyring in memory, which fails with `error` while there is one."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], str] = {}
        self.error: Exception | None = None
        self.calls = 0

    def check(self) -> None:
        self.calls += 1
        if self.error is not None:
            raise self.error

    def get_password(self, service: str, username: str) -> str | None:
        self.check()
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.check()
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self.check()
        del self.entries[service, username]


class ForgetfulKeyring(DictKeyring):
    """Says yes and keeps nothing, as the dummy backends do."""

    def set_password(self, service: str, username: str, password: str) -> None:
        self.check()


class HangingKeyring(DictKeyring):
    """Waits for a person who never comes, until `let_go`."""

    def __init__(self) -> None:
        super().__init__()
        self.let_go = threading.Event()

    def check(self) -> None:
        super().check()
        self.let_go.wait()


Open = Callable[..., Secrets]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Opens the keys of one data folder, as a process does that starts anew."""

    def open_secrets(keyring: Keyring | None = None, **fields: Any) -> Secrets:
        given_fields: dict[str, Any] = {"environ": {}, "open_keyring": lambda: keyring, "now": lambda: NOON}
        return Secrets(tmp_path / "keys.json", **given_fields | fields)

    return open_secrets


@pytest.fixture
def hanging() -> Iterator[HangingKeyring]:
    keyring = HangingKeyring()
    yield keyring
    keyring.let_go.set()


def text(secrets: Secrets) -> str:
    return secrets.path.read_text()


# In the file


def test_check_46_X2_without_a_keyring_keys_are_in_a_private_file(opened: Open) -> None:
    opened().put(X, ORIGIN, CANARY)
    secrets = opened()
    assert (secrets.get(X, ORIGIN), secrets.notices) == (CANARY, [])
    assert stat.S_IMODE(secrets.path.stat().st_mode) == 0o600
    assert CANARY in text(secrets)


def test_nothing_is_made_or_asked_before_there_is_a_key(opened: Open) -> None:
    keyring = DictKeyring()
    secrets = opened(keyring)
    assert secrets.get(X, ORIGIN) is None
    secrets.remove(X)
    assert (secrets.path.exists(), keyring.calls) == (False, 0)


def test_check_46_D15_key_is_given_to_its_origin_alone(opened: Open) -> None:
    opened().put(X, "https://API.example/v1/", CANARY)
    secrets = opened()
    same = ("https://api.example", "https://api.example:443", "HTTPS://api.example/v1/chat", "https://u@api.example")
    other = (
        *(
            "http://api.example",
            "https://api.example:444",
            "https://api.example.evil.com",
            "https://evil.com/api.example",
        ),
        *(
            "https://evil.com#@api.example",
            "https://api.example@evil.com",
            "ftp://api.example",
            "api.example",
            "",
            "https://[",
        ),
    )
    assert {origin: secrets.get(X, origin) for origin in same} == dict.fromkeys(same, CANARY)
    assert {origin: secrets.get(X, origin) for origin in other} == dict.fromkeys(other)
    assert secrets.get(ProviderId("y"), ORIGIN) is None


def test_key_is_replaced_and_removed(opened: Open) -> None:
    secrets = opened()
    secrets.put(X, ORIGIN, "one")
    secrets.put(X, "http://localhost:1", " two\n")
    assert (secrets.get(X, ORIGIN), secrets.get(X, "http://localhost:1")) == (None, "two")
    secrets.put(ProviderId("y"), ORIGIN, "three")
    secrets.remove(X)
    secrets.put(ProviderId("y"), ORIGIN, "")
    assert json.loads(text(secrets))["keys"] == {}
    assert (secrets.get(X, "http://localhost:1"), opened().get(ProviderId("y"), ORIGIN)) == (None, None)


@pytest.mark.parametrize("key", ["a\nb", "a\0", "schlüssel", "\ud800", "a\x7f"])
def test_X5_what_is_no_key_is_refused_without_being_shown(opened: Open, key: str) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        opened().put(X, ORIGIN, key)
    assert key not in str(refusal.value)


@pytest.mark.parametrize("origin", ["", "api.example", "ftp://x", "https://", "https://x:port", "https://["])
def test_X5_key_without_an_origin_is_refused(opened: Open, origin: str) -> None:
    with pytest.raises(InvalidArgument, match="baseUrl"):
        opened().put(X, origin, CANARY)


def test_origin_says_its_port() -> None:
    given = ("http://LocalHost", "https://x/y", "http://[::1]:8080/v1", "https://x:8443")
    said = ["http://localhost:80", "https://x:443", "http://[::1]:8080", "https://x:8443"]
    assert [origin_of(url) for url in given] == said


def test_check_46_X2_file_that_others_could_read_is_closed_and_told(opened: Open) -> None:
    opened().put(X, ORIGIN, CANARY)
    secrets = opened()
    secrets.path.chmod(0o644)
    assert secrets.get(X, ORIGIN) == CANARY
    assert stat.S_IMODE(secrets.path.stat().st_mode) == 0o600
    assert "Others could read" in secrets.notices[0]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"keys": 3}', b'{"keys": {"x": {"key": 1}}}', b"\xff"])
def test_ST9_damaged_file_is_set_aside_and_told(opened: Open, content: bytes) -> None:
    secrets = opened()
    secrets.path.write_bytes(content)
    secrets.path.chmod(0o600)
    assert secrets.get(X, ORIGIN) is None
    secrets.put(X, ORIGIN, CANARY)
    aside = secrets.path.with_name("keys.json.damaged-20260814-123015")
    assert (aside.read_bytes(), len(secrets.notices)) == (content, 1)
    assert opened().get(X, ORIGIN) == CANARY


@pytest.mark.parametrize("content", ['{"version": 2, "keys": {}}', '{"version": 2, "keys": "another form"}'])
def test_file_of_a_newer_version_is_left_alone(opened: Open, content: str) -> None:
    secrets = opened()
    secrets.path.write_text(content)
    with pytest.raises(ProjectTooNew):
        secrets.get(X, ORIGIN)
    assert text(secrets) == content


def test_W9_file_that_cannot_be_read_or_written_is_told(opened: Open) -> None:
    secrets = opened()
    with files_up_to(10), pytest.raises(SaveFailed) as failure:
        secrets.put(X, ORIGIN, CANARY)
    assert CANARY not in f"{failure.value} {failure.value.__cause__}"
    assert secrets.get(X, ORIGIN) is None
    secrets.path.mkdir()
    with pytest.raises(ProjectUnreadable):
        opened().get(X, ORIGIN)


# In the keyring


def test_X2_with_a_keyring_the_file_holds_no_key(opened: Open) -> None:
    keyring = DictKeyring()
    opened(keyring).put(X, ORIGIN, CANARY)
    secrets = opened(keyring)
    assert (secrets.get(X, ORIGIN), secrets.get(X, "https://evil.com")) == (CANARY, None)
    assert CANARY not in text(secrets)
    assert len(keyring.entries) == 1
    secrets.remove(X)
    assert (keyring.entries, opened(keyring).get(X, ORIGIN)) == ({}, None)


def test_D15_origin_is_kept_with_the_key_not_in_the_file(opened: Open) -> None:
    keyring = DictKeyring()
    secrets = opened(keyring)
    secrets.put(X, ORIGIN, CANARY)
    tree = json.loads(text(secrets))
    tree["keys"]["x"]["origin"] = "https://evil.com:443"
    secrets.path.write_text(json.dumps(tree))
    assert opened(keyring).get(X, "https://evil.com") is None


def test_data_folders_do_not_share_entries(opened: Open, tmp_path: Path) -> None:
    keyring = DictKeyring()
    opened(keyring).put(X, ORIGIN, CANARY)
    other = Secrets(tmp_path / "other.json", environ={}, open_keyring=lambda: keyring)
    other.put(X, ORIGIN, "other")
    assert (opened(keyring).get(X, ORIGIN), len(keyring.entries)) == (CANARY, 2)


def test_keyring_is_asked_once_for_a_key(opened: Open) -> None:
    keyring = DictKeyring()
    opened(keyring).put(X, ORIGIN, CANARY)
    before = keyring.calls
    secrets = opened(keyring)
    assert [secrets.get(X, ORIGIN) for _ in range(3)] == [CANARY] * 3
    assert keyring.calls == before + 1


@pytest.mark.parametrize("broken", ["raises", "forgets", "is none", "cannot be opened", "is switched off"])
def test_X2_key_goes_to_the_file_when_the_keyring_fails(opened: Open, broken: str) -> None:
    keyring = ForgetfulKeyring() if broken == "forgets" else DictKeyring()
    keyring.error = RuntimeError("no desktop") if broken == "raises" else None
    fields: dict[str, Any] = {}
    if broken == "is none":
        fields = {"open_keyring": lambda: None}
    elif broken == "cannot be opened":
        fields = {"open_keyring": cannot_be_opened}
    elif broken == "is switched off":
        fields = {"environ": {"TALKFIELD_KEYRING": "0"}}
    secrets = opened(keyring, **fields)
    secrets.put(X, ORIGIN, CANARY)
    assert opened(keyring, **fields).get(X, ORIGIN) == CANARY
    assert (CANARY in text(secrets), keyring.entries) == (True, {})


def cannot_be_opened() -> Keyring:
    raise ImportError("no such library")


def test_X2_keyring_that_hangs_is_waited_for_once(opened: Open, hanging: HangingKeyring) -> None:
    secrets = opened(hanging, keyring_timeout_s=0.02)
    secrets.put(X, ORIGIN, CANARY)
    secrets.put(ProviderId("y"), ORIGIN, "other")
    assert (secrets.get(X, ORIGIN), hanging.calls, CANARY in text(secrets)) == (CANARY, 1, True)


def test_key_that_the_keyring_does_not_give_is_told(opened: Open) -> None:
    keyring = DictKeyring()
    opened(keyring).put(X, ORIGIN, CANARY)
    keyring.error = RuntimeError(f"locked {CANARY}")
    secrets = opened(keyring)
    assert secrets.get(X, ORIGIN) is None
    [notice] = secrets.notices
    assert notice.startswith("The key of x could not be had from the system's keyring: RuntimeError. Unlock it")
    keyring.error = None
    assert secrets.get(X, ORIGIN) == CANARY


@pytest.mark.parametrize("content", [None, "", "not JSON", '{"key": 1}', "{}"])
def test_X5_keyring_entry_that_was_changed_gives_no_key(opened: Open, content: str | None) -> None:
    keyring = DictKeyring()
    opened(keyring).put(X, ORIGIN, CANARY)
    [name] = keyring.entries
    if content is None:
        del keyring.entries[name]
    else:
        keyring.entries[name] = content
    assert opened(keyring).get(X, ORIGIN) is None


def test_key_that_cannot_be_removed_from_the_keyring_is_forgotten_and_told(opened: Open) -> None:
    keyring = DictKeyring()
    secrets = opened(keyring)
    secrets.put(X, ORIGIN, CANARY)
    keyring.error = RuntimeError()
    secrets.remove(X)
    assert (secrets.get(X, ORIGIN), len(secrets.notices)) == (None, 1)


def test_key_leaves_the_file_once_a_keyring_takes_it(opened: Open) -> None:
    opened().put(X, ORIGIN, CANARY)
    keyring = DictKeyring()
    secrets = opened(keyring)
    secrets.put(X, ORIGIN, CANARY)
    assert CANARY not in text(secrets)


def test_X2_no_repr_shows_a_key(opened: Open) -> None:
    secrets = opened()
    secrets.put(X, ORIGIN, CANARY)
    assert CANARY not in f"{secrets!r} {secrets.file!r} {secrets.known!r}"


def test_dummy_backends_of_the_library_are_no_keyring() -> None:
    assert system_keyring() is None  # tests run with the library's own `fail` backend
