"""A service that sends far too much costs the others little (D7). `scripts/flood.py` is the long form."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "flood.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("flood", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["flood"] = module
    spec.loader.exec_module(module)
    return module


async def test_check_08_D7_a_flood_ends_in_a_bounded_process_that_goes_on(script: ModuleType, own_home: Path) -> None:
    floods = await script.flood(own_home, 50_000)
    assert {each.name: each.end for each in floods} == {
        "a line of 20 MiB": "too_large",
        "1 GiB compressed, one line": "too_large",
        "1 GiB compressed, events": "too_large",
        "50,000 tiny events": "whole",
    }
    assert {each.name: each.growth_mb for each in floods if each.growth_mb > script.MOST_GROWTH_MB} == {}
