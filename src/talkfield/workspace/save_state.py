"""What stands in the way of saving, from every place that is written to, as the one record that clients see (W9)."""

from __future__ import annotations

from collections.abc import Callable

from talkfield.core.records import SAVE_ID, SaveRecord
from talkfield.errors import TalkfieldError


class SaveState:
    """Each source says how it stands; `publish` is called with the record when what it says changes."""

    def __init__(self, publish: Callable[[SaveRecord], None]) -> None:
        self.record = SaveRecord(id=SAVE_ID, state="saved")
        self._publish = publish
        self._failures: dict[str, str] = {}
        self._notices: dict[str, str] = {}

    def tell(self, source: str, failure: TalkfieldError | None) -> None:
        """The last try of `source` failed with this; None: it went well."""
        self._failures.pop(source, None)
        if failure is not None:
            self._failures[source] = f"{failure.message} {failure.hint}".strip()
        self._say()

    def notice(self, source: str, line: str) -> None:
        """Something a person should know although everything is saved; empty: no more."""
        self._notices[source] = line
        self._say()

    def _say(self) -> None:
        lines = self._failures or {source: line for source, line in self._notices.items() if line}
        record = SaveRecord(
            id=SAVE_ID, state="failed" if self._failures else "saved", message="\n".join(lines.values())
        )
        if record != self.record:
            self.record = record
            self._publish(record)
