"""The data folder: everything Talkfield keeps on this machine, but for the project files in the projects' own folders.

It is one folder so that it can be moved, copied and deleted as one. Only its owner may enter it.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from talkfield.errors import SaveFailed, StartFailed
from talkfield.storage.atomic import PRIVATE, advice, reason, write_atomically
from talkfield.storage.lock import DataFolderLock

HOME_VARIABLE = "TALKFIELD_HOME"
"""Environment variable that names another data folder."""

PRIVATE_FOLDER = 0o700
TOKEN_BYTES = 32


@dataclass(frozen=True)
class DataFolder:
    """Where everything is. `path` is absolute; nothing exists before `create`."""

    path: Path

    @classmethod
    def locate(cls, environ: Mapping[str, str] = os.environ) -> DataFolder:
        """The folder named by TALKFIELD_HOME, else the one this system has for programs' data."""
        home = environ.get(HOME_VARIABLE, "").strip()
        if home:
            return cls(Path(os.path.abspath(os.path.expanduser(home))))
        from platformdirs import user_data_path  # costs 45 ms that a named folder need not pay

        return cls(user_data_path("talkfield", appauthor=False))

    @property
    def database(self) -> Path:
        return self.path / "talkfield.db"

    @property
    def settings(self) -> Path:
        return self.path / "settings.json"

    @property
    def keys(self) -> Path:
        return self.path / "keys.json"

    @property
    def blobs(self) -> Path:
        return self.path / "blobs"

    @property
    def token(self) -> Path:
        return self.path / "api-token"

    def lock(self) -> DataFolderLock:
        """The lock that makes this process the only one here (ST5)."""
        return DataFolderLock(self.path / "lock")

    def create(self) -> None:
        """Make the folder, mode 0700, and prove that it can be written. Raises `StartFailed`."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
            self.blobs.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
            trial = self.path / f".trial-{secrets.token_hex(6)}"
            os.close(os.open(trial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE))
            trial.unlink()
        except OSError as error:
            raise StartFailed(
                f"Talkfield cannot write to its data folder {self.path}: {reason(error)}.",
                hint=f"{advice(error)} Or set {HOME_VARIABLE} to another folder.",
            ) from error

    def api_token(self) -> str:
        """The token scripts send as bearer (X1), made on first use in a file that only its owner can read.

        Raises `StartFailed` when it can be neither read nor made.
        """
        try:
            token = self.token.read_text("ascii", "replace").strip()
            if len(token) >= TOKEN_BYTES and token.isascii():
                if os.name != "nt" and stat.S_IMODE(self.token.stat().st_mode) & 0o077:
                    self.token.chmod(PRIVATE)
                return token
        except FileNotFoundError:
            pass
        except OSError as error:
            raise StartFailed(f"{self.token} could not be read: {reason(error)}.", hint=advice(error)) from error
        token = secrets.token_urlsafe(TOKEN_BYTES)
        try:
            write_atomically(self.token, f"{token}\n".encode())
        except SaveFailed as error:
            raise StartFailed(error.message, hint=error.hint) from error
        return token
