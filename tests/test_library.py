"""The library's front door (Z4)."""

from __future__ import annotations

import subprocess
import sys

import talkfield

HEAVY = ("aiohttp", "alembic", "anyio", "genai_prices", "jsonschema", "pydantic", "sqlalchemy", "starlette", "uvicorn")


def test_Z4_every_public_name_is_there_once() -> None:
    assert len(set(talkfield.__all__)) == len(talkfield.__all__)
    assert [name for name in talkfield.__all__ if not hasattr(talkfield, name)] == []


def test_Z4_importing_the_library_loads_no_server_and_no_network() -> None:
    script = f"import sys, talkfield; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50, check=True)
    assert done.stdout == "[]\n"
