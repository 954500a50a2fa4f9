"""What a service of the OpenAI wire wants back with its own message (D11): collected here, used by `request_for`.

Reasoning items, signatures on calls and the like are opaque: nothing is read, changed or left out. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from talkfield.core.messages import ProviderState
from talkfield.providers.json_body import encode_opaque
from talkfield.providers.thinking_tag import ThinkingTags
from talkfield.providers.tool_call import CallDraft
from talkfield.providers.wire_name import ID


class OpaqueState:
    """Filled while an answer comes. `reasoning_field` is the name under which the service sends its thinking."""

    def __init__(self) -> None:
        self.reasoning_field = ""
        self.extra_content: Any = None
        self._details: list[dict[str, Any]] = []
        self._growing: dict[str, list[str]] = {}

    def keep_extra(self, extra: Any) -> None:
        """Signatures are kept; a flag that one delta is thinking would make all of the message that."""
        if "signature" in (encode_opaque(extra) or ""):
            self.extra_content = extra

    def keep_details(self, details: Sequence[Any]) -> None:
        """Deltas of one reasoning item are joined, whatever else is kept as it came."""
        for detail in details:
            if not isinstance(detail, dict):
                continue
            last = self._details[-1] if self._details else None
            if last is None or not _continues(last, detail):
                self._join_details()
                self._details.append(dict(detail))
                continue
            for key, value in detail.items():
                if key in ("text", "summary", "data") and isinstance(value, str) and isinstance(last.get(key), str):
                    self._growing.setdefault(key, [last[key]]).append(value)
                elif value is not None:
                    self._growing.pop(key, None)
                    last[key] = value

    def _join_details(self) -> None:
        for key, pieces in self._growing.items():
            self._details[-1][key] = "".join(pieces)
        self._growing.clear()

    def packed(
        self, provider: str, model: str, tags: ThinkingTags, drafts: Sequence[CallDraft]
    ) -> ProviderState | None:
        """None where there is nothing to send back."""
        state: dict[str, Any] = {}
        if self.reasoning_field:
            state["reasoning_field"] = self.reasoning_field
        if tags.tag:
            state["tag"] = tags.tag
            state["before"] = tags.before
        self._join_details()
        if self._details:
            state["reasoning_details"] = self._details
        if self.extra_content is not None:
            state["extra_content"] = self.extra_content
        extras = {str(place): draft.extra for place, draft in enumerate(drafts) if draft.extra}
        if extras:
            state["calls"] = extras
        if any(draft.id and not ID.fullmatch(draft.id) for draft in drafts):
            state["own_ids"] = True  # proves later which model wants these very ids back
        if not state:
            return None
        data = encode_opaque(state)
        return None if data is None else ProviderState(provider=provider, model=model, data=data)


def _continues(last: Mapping[str, Any], detail: Mapping[str, Any]) -> bool:
    same = all(last.get(key) == detail.get(key) for key in ("type", "index"))
    return same and (detail.get("id") is None or last.get("id") in (None, detail.get("id")))
