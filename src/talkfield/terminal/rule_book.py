"""What is remembered of decisions in the terminal (T7): for this chat in memory, for the folder in a private file.

Projects of the canvas keep theirs with the project, which the terminal does not open: it works beside a Talkfield that
is open. Several terminals may use the file at once; each reads it anew before it changes it. `rules` may be read from
any thread.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from talkfield.core.rule import Rule
from talkfield.errors import StartFailed
from talkfield.storage.atomic import write_atomically


class RuleBook:
    """The rules of one chat that works in `folder`. Raises `StartFailed` when the file at `path` cannot be read: rules
    that deny must not get lost unnoticed.
    """

    def __init__(self, path: Path, folder: str) -> None:
        self._path = path
        self._folder = folder
        self._of_chat: tuple[Rule, ...] = ()
        self._of_folder = self._kept().get(folder, ())

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Those that count now, the folder's first."""
        return self._of_folder + self._of_chat

    def keep(self, rule: Rule) -> None:
        """Remember a rule, unless the same is there. Raises `SaveFailed` and `StartFailed`."""
        if any(
            msgspec.structs.replace(rule, id=known.id, created_at=known.created_at) == known for known in self.rules
        ):
            return
        if rule.node_id is not None:
            self._of_chat += (rule,)
        else:
            self._save((*self._kept().get(self._folder, ()), rule))

    def remove(self, rule: Rule) -> None:
        """Forget a rule; from then on it counts no more. Raises `SaveFailed` and `StartFailed`."""
        if rule in self._of_chat:
            self._of_chat = tuple(known for known in self._of_chat if known != rule)
        else:
            self._save(tuple(known for known in self._kept().get(self._folder, ()) if known.id != rule.id))

    def _save(self, rules: tuple[Rule, ...]) -> None:
        kept = {**self._kept(), self._folder: rules}
        if not rules:
            del kept[self._folder]
        write_atomically(self._path, msgspec.json.format(msgspec.json.encode(kept)))
        self._of_folder = rules

    def _kept(self) -> dict[str, tuple[Rule, ...]]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, tuple[Rule, ...]])
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise StartFailed(
                f"what was remembered about tools in {self._path} cannot be read: {error}",
                hint="Repair the file, or move it away to begin without any rules.",
            ) from error
