"""Tools from installed Python packages: those of the entry point group `talkfield.tools` that Settings name (T9).

A package that is installed is only listed, never imported, until a person has named its entry point: importing runs its
code, with everything Talkfield may do. What fails to load says so and is in nobody's way.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from talkfield.core.records import ToolServerRecord, tool_server_record_id
from talkfield.core.visible import visible_line
from talkfield.runtime.ports import Tool

GROUP = "talkfield.tools"

Find = Callable[[], Iterable[importlib.metadata.EntryPoint]]


def installed() -> Iterable[importlib.metadata.EntryPoint]:
    return importlib.metadata.entry_points(group=GROUP)


@dataclass
class Loaded:
    """What an entry point gave, or why it gave nothing."""

    tools: tuple[Tool, ...] = ()
    problem: str = ""


class EntryPointTools:
    """`chosen` gives the names that Settings hold now. Everything is called on one event loop; a thread loads."""

    def __init__(
        self, chosen: Callable[[], Sequence[str]], changed: Callable[[], None], find: Find = installed
    ) -> None:
        self._chosen = chosen
        self._changed = changed
        self._find = find
        self._known: dict[str, importlib.metadata.EntryPoint] | None = None
        self._loaded: dict[str, Loaded] = {}

    def tools(self) -> tuple[Tool, ...]:
        """Those of the chosen entry points that are loaded."""
        return tuple(tool for name in self._chosen() if name in self._loaded for tool in self._loaded[name].tools)

    async def prepare(self) -> None:
        """See what is installed, and load what is chosen and not loaded yet."""
        missing = [name for name in self._chosen() if name not in self._loaded]
        if self._known is not None and not missing:
            return
        self._known, loaded = await asyncio.to_thread(self._load, missing)
        self._loaded |= loaded
        self._changed()

    def settings_changed(self) -> None:
        """Forget what is no longer chosen: chosen again, it is loaded again."""
        chosen = self._chosen()
        self._loaded = {name: loaded for name, loaded in self._loaded.items() if name in chosen}

    def records(self) -> tuple[ToolServerRecord, ...]:
        """What is installed or chosen, for Settings; nothing before the first `prepare`."""
        names = dict.fromkeys([*(self._known or {}), *(self._chosen() if self._known is not None else ())])
        return tuple(self._record(name) for name in names)

    def _record(self, name: str) -> ToolServerRecord:
        point = (self._known or {}).get(name)
        loaded = self._loaded.get(name) if name in self._chosen() else None
        status = "off" if loaded is None else "failed" if loaded.problem else "ready"
        return ToolServerRecord(
            id=tool_server_record_id("python", name),
            name=name,
            origin="python",
            status=status,  # type: ignore[arg-type]
            what=visible_line(point.value) if point is not None else "not installed",
            tools=tuple(tool.name for tool in loaded.tools) if loaded is not None else (),
            message=visible_line(loaded.problem) if loaded is not None else "",
        )

    def _load(self, names: Sequence[str]) -> tuple[dict[str, importlib.metadata.EntryPoint], dict[str, Loaded]]:
        known = {point.name: point for point in self._find()}
        return known, {name: load(known.get(name), name) for name in names}


def load(point: importlib.metadata.EntryPoint | None, name: str) -> Loaded:
    """What an entry point holds: a tool, or several. Whatever its code raises is told, not raised."""
    if point is None:
        return Loaded(problem="No package that is installed has this name.")
    try:
        found = point.load()
    except Exception as error:
        return Loaded(problem=f"It could not be loaded: {type(error).__name__}: {error}")
    tools = (found,) if isinstance(found, Tool) else tuple(found) if isinstance(found, list | tuple) else (found,)
    if not all(isinstance(tool, Tool) for tool in tools):
        return Loaded(problem="It is neither a tool nor a list of tools; make one with talkfield.tool.")
    return Loaded(tools=tuple(from_package(tool, name) for tool in tools))


def from_package(tool: Tool, name: str) -> Tool:
    """The tool with a word on its card on where it comes from."""
    fields = {field: getattr(tool, field) for field in tool.__dataclass_fields__}
    return Tool(**{**fields, "source": name})
