"""What each behaviour of links does when it runs: `DELIVERIES` finds its function by the behaviour's type."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from talkfield.core.links import InjectContext, WriteFile
from talkfield.workspace.link_delivery import inject_context, write_file
from talkfield.workspace.link_delivery.base import Delivered

Deliver = Callable[..., Awaitable[Delivered]]

DELIVERIES: dict[type[Any], Deliver] = {InjectContext: inject_context.deliver, WriteFile: write_file.deliver}

__all__ = ["DELIVERIES", "Delivered"]
