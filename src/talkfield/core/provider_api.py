"""The wires that providers speak, by name (D1). A new one gets its name here; `CONTRIBUTING.md` has the rest."""

from __future__ import annotations

from typing import Literal, get_args

Api = Literal["openai", "anthropic"]
"""`openai` is `/chat/completions`, `anthropic` is `/v1/messages`."""

APIS: tuple[Api, ...] = get_args(Api)
