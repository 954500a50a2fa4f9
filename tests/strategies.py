"""Hypothesis strategies for any of the project's structs, built from their type hints."""

from __future__ import annotations

import types
import typing
from decimal import Decimal
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin

import msgspec
from hypothesis import strategies as st

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXT,
    int: st.integers(-(2**53), 2**53),
    float: st.floats(allow_nan=False, allow_infinity=False, width=32),
    bool: st.booleans(),
    type(None): st.none(),
    Decimal: st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-1000, max_value=1000),
    Any: st.recursive(
        st.none() | st.booleans() | st.integers(-1000, 1000) | TEXT,
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
        max_leaves=4,
    ),
}


@cache
def strategy_for(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type as it may stand in a struct's field."""
    if hint in SCALARS:
        return SCALARS[hint]
    if isinstance(hint, typing.NewType):
        return strategy_for(hint.__supertype__)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, types.UnionType):
        return st.one_of(*(strategy_for(member) for member in arguments))
    if origin is tuple:
        return st.lists(strategy_for(arguments[0]), max_size=3).map(tuple)
    if origin is dict:
        return st.dictionaries(strategy_for(arguments[0]), strategy_for(arguments[1]), max_size=3)
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return struct_strategy(hint)
    raise TypeError(f"no strategy for {hint!r}")


def struct_strategy(struct: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    """Structs with every field set, or left at its default."""
    hints = typing.get_type_hints(struct)
    fields = {
        field.name: strategy_for(hints[field.name])
        if field.required
        else st.just(field.default) | strategy_for(hints[field.name])
        if field.default is not msgspec.NODEFAULT
        else strategy_for(hints[field.name])
        for field in msgspec.structs.fields(struct)
    }
    return st.builds(struct, **fields)
