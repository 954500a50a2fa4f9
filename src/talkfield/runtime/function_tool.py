"""A tool made of a Python function: its schema from the type hints, its words from the docstring (T3).

    @talkfield.tool
    def weather(city: Annotated[str, "A city's name"], days: int = 1) -> str:
        \"\"\"The weather in a city.\"\"\"

Arguments arrive as the types that were hinted. A parameter that is hinted as `ToolContext` is given the context and is
no argument. A function that is not `async` runs in a thread. What is no text becomes JSON.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, get_args, get_origin, get_type_hints, overload

import msgspec

from talkfield.errors import ToolError
from talkfield.runtime.ports import Tool, ToolContext

Function = Callable[..., Any]


@overload
def tool(function: Function, /) -> Tool: ...


@overload
def tool(
    *, name: str | None = None, description: str | None = None, needs_approval: bool = True
) -> Callable[[Function], Tool]: ...


def tool(
    function: Function | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    needs_approval: bool = True,
) -> Tool | Callable[[Function], Tool]:
    """Make a tool of a function. A person decides on each call, unless `needs_approval` is False.

    Raises `TypeError` for a function whose arguments cannot be described: without hints, or with `*` and `**`.
    """

    def make(wrapped: Function) -> Tool:
        struct, context_name = arguments_of(wrapped)
        return Tool(
            name=name or wrapped.__name__,
            description=description or first_paragraph(wrapped),
            schema=schema_of(struct),
            run=runner_of(wrapped, struct, context_name),
            needs_approval=needs_approval,
        )

    return make if function is None else make(function)


def arguments_of(function: Function) -> tuple[type[msgspec.Struct], str | None]:
    """The function's arguments as a struct, and the name of the parameter that takes the context, if there is one."""
    hints = get_type_hints(function, include_extras=True)
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    context_name: str | None = None
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise TypeError(f"{function.__name__}: a tool's arguments have names; {parameter} has none")
        if parameter.name not in hints:
            raise TypeError(f"{function.__name__}: say by a type hint what {parameter.name} is")
        hint = hints[parameter.name]
        if hint is ToolContext:
            context_name = parameter.name
        elif parameter.default is parameter.empty:
            fields.append((parameter.name, described(hint)))
        else:
            fields.append((parameter.name, described(hint), parameter.default))
    struct = msgspec.defstruct(f"{function.__name__}_arguments", fields, kw_only=True, forbid_unknown_fields=True)
    return struct, context_name


def described(hint: Any) -> Any:
    """`Annotated[str, "words"]` as msgspec says it."""
    if get_origin(hint) is not Annotated:
        return hint
    kind, *notes = get_args(hint)
    return Annotated[(kind, *(msgspec.Meta(description=note) if isinstance(note, str) else note for note in notes))]


def schema_of(struct: type[msgspec.Struct]) -> Mapping[str, Any]:
    """The JSON Schema of a struct, as an object that stands by itself."""
    whole = msgspec.json.schema(struct)
    definitions = dict(whole.get("$defs", {}))
    schema = dict(definitions.pop(struct.__name__))
    schema.pop("title", None)
    return {**schema, "$defs": definitions} if definitions else schema


def runner_of(
    function: Function, struct: type[msgspec.Struct], context_name: str | None
) -> Callable[[Mapping[str, Any], ToolContext], Awaitable[str]]:
    async def run(arguments: Mapping[str, Any], context: ToolContext) -> str:
        try:
            values = msgspec.convert(dict(arguments), struct)
        except msgspec.ValidationError as error:
            raise ToolError(f"the arguments do not fit: {error}") from None
        given = {name: getattr(values, name) for name in struct.__struct_fields__}
        if context_name is not None:
            given[context_name] = context
        if inspect.iscoroutinefunction(function):
            return text_of(await function(**given))
        return text_of(await asyncio.to_thread(lambda: function(**given)))

    return run


def text_of(result: Any) -> str:
    if isinstance(result, str):
        return result
    return "done" if result is None else msgspec.json.encode(result).decode()


def first_paragraph(function: Function) -> str:
    """What the docstring says first, on one line; else the name in words."""
    paragraph = (inspect.getdoc(function) or "").strip().split("\n\n")[0]
    return " ".join(paragraph.split()) or function.__name__.replace("_", " ")
