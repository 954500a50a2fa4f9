"""The fixtures that fail tests for their sins do so, and leave good tests alone (tests/conftest.py)."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]

SINS = """
import asyncio, socket, warnings
import aiohttp, pytest
from hypothesis import given, strategies as st

kept = []

async def test_good():
    await asyncio.sleep(0)

@given(st.integers())
async def test_good_property(number):
    await asyncio.sleep(0)

@pytest.fixture
async def worker():
    task = asyncio.create_task(asyncio.sleep(10))
    yield task
    task.cancel()

async def test_good_cleaned_up(worker):
    pass

def test_good_loopback():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        pass

async def test_bad_task_left():
    kept.append(asyncio.create_task(asyncio.sleep(10)))

@given(st.integers())
async def test_bad_task_left_by_a_property(number):
    kept.append(asyncio.create_task(asyncio.sleep(10)))

async def test_bad_exception_nobody_awaited():
    async def fail():
        raise ValueError
    asyncio.create_task(fail())
    await asyncio.sleep(0)
    await asyncio.sleep(0)

async def test_bad_session_left():
    aiohttp.ClientSession()

async def test_bad_socket_left():
    socket.socket()

def test_bad_outside():
    try:
        socket.create_connection(("192.0.2.1", 80), timeout=1)
    except BaseException:
        pass

async def test_bad_name_looked_up():
    async with aiohttp.ClientSession() as session:
        try:
            await session.get("http://example.org")
        except BaseException:
            pass

def test_bad_warning():
    warnings.warn("careful")

async def test_bad_blocks_the_loop():
    from talkfield.storage import atomic
    try:
        atomic.write_atomically(__import__("pathlib").Path("file"), b"")
    except Exception as error:
        assert type(error).__name__ != "BlockingError", "blocked"
"""


def test_every_sin_fails_its_test_and_no_other(pytester: pytest.Pytester) -> None:
    shutil.copy(ROOT / "tests" / "conftest.py", pytester.path / "conftest.py")
    shutil.copy(ROOT / "pyproject.toml", pytester.path / "pyproject.toml")
    pytester.makepyfile(test_sins=SINS)
    result = pytester.runpytest_subprocess("-q", "test_sins.py")
    outcome = re.findall(r"^(?:FAILED|ERROR) test_sins\.py::(\w+)", result.stdout.str(), re.MULTILINE)
    assert sorted(outcome) == sorted(re.findall(r"def (test_bad\w*)", SINS))
