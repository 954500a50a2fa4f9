"""The browser's types are those of Python (M8)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_types", ROOT / "scripts" / "generate_types.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_M8_generated_types_are_current() -> None:
    generate_types = generator()
    written = generate_types.TARGET.read_text()
    assert written == generate_types.TypeScript().render(), "web/src/wire/generated.ts is out of date; run: make types"


def test_M8_every_alias_of_the_wire_is_named() -> None:
    """A union or literal that is spelled out in two places would drift."""
    generate_types = generator()
    assert generate_types.TypeScript().render().count("export type Command =") == 1
