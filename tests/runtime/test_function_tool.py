"""Tools made of Python functions: schema from the hints, values as hinted (T3)."""

from __future__ import annotations

import threading
from typing import Annotated, Any, Literal

import msgspec
import pytest

import talkfield
from talkfield import Tool, ToolContext, ToolError
from tool_desk import context


class Place(msgspec.Struct):
    """A place."""

    city: str
    country: str = "CH"


@talkfield.tool
def weather(city: Annotated[str, "A city's name"], days: int = 1, unit: Literal["C", "F"] = "C") -> str:
    """The weather
    in a city.

    More words that are for people.
    """
    return f"{city}, {days} days, {unit}"


async def test_T3_a_function_becomes_a_tool_with_its_schema() -> None:
    assert isinstance(weather, Tool)
    assert (weather.name, weather.description, weather.needs_approval) == ("weather", "The weather in a city.", True)
    assert weather.schema == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "A city's name"},
            "days": {"type": "integer", "default": 1},
            "unit": {"enum": ["C", "F"], "default": "C"},
        },
        "required": ["city"],
        "additionalProperties": False,
    }
    assert await weather.run({"city": "Bern", "days": 3}, context(None)) == "Bern, 3 days, C"


async def test_T3_values_arrive_as_they_were_hinted_and_the_context_is_no_argument() -> None:
    seen: list[Any] = []

    @talkfield.tool(name="other", description="Other words.", needs_approval=False)
    async def place(where: Place, context: ToolContext, tags: list[str] | None = None) -> dict[str, int]:
        seen.append((where, context.folder, tags))
        return {"a": 1}

    assert (place.name, place.description, place.needs_approval) == ("other", "Other words.", False)
    assert set(place.schema["properties"]) == {"where", "tags"}
    assert place.schema["$defs"]["Place"]["required"] == ["city"]
    given = context(None)
    assert await place.run({"where": {"city": "Bern"}}, given) == '{"a":1}'
    assert seen == [(Place("Bern"), None, None)]
    with pytest.raises(ToolError, match="do not fit"):
        await place.run({"where": {"city": 7}}, given)
    with pytest.raises(ToolError, match="do not fit"):
        await place.run({"where": {"city": "x"}, "sudo": True}, given)


async def test_T3_a_function_that_blocks_runs_in_a_thread() -> None:
    @talkfield.tool
    def where() -> None:
        seen.append(threading.current_thread() is threading.main_thread())

    seen: list[bool] = []
    assert await where.run({}, context(None)) == "done"
    assert (seen, where.description) == ([False], "where")


def test_X5_what_cannot_be_described_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match="say by a type hint"):

        @talkfield.tool
        def unhinted(a) -> str:  # type: ignore[no-untyped-def]
            return str(a)

    with pytest.raises(TypeError, match="have names"):

        @talkfield.tool
        def starred(*a: int) -> str:
            return str(a)
