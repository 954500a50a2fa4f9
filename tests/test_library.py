"""The library's front door (Z4)."""

from __future__ import annotations

import ast
import asyncio
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

import talkfield
from doubles import Recorder
from talkfield.core.messages import MessageCost
from talkfield.errors import InvalidArgument
from talkfield.library import driver_for, runtime_ports, user_message
from talkfield.providers.scripted import ScriptedDriver
from talkfield.runtime.chat_runtime import ChatRuntime
from talkfield.runtime.ports import CallChunk, FinishChunk, ProviderConfig, SendRequest, SendResult, Tool, UsageChunk
from talkfield.tools.schema import check_arguments

PROVIDER = ProviderConfig(id=talkfield.ProviderId("mine"), name="Mine", api="openai", base_url="", model="gpt-4o")

HEAVY = (
    *("aiohttp", "alembic", "anyio", "genai_prices", "jsonschema", "keyring", "platformdirs", "pydantic", "rich"),
    *("sqlalchemy", "starlette", "typer", "uvicorn", "websockets", "xllamacpp"),
)


def python(script: str) -> str:
    """What a new interpreter prints."""
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, timeout=50, check=True).stdout.strip()


def test_Z4_type_checkers_see_every_public_name_and_no_other() -> None:
    tree = ast.parse(Path(talkfield.__file__).read_bytes())
    typed = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        (alias.name, statement.module)
        for statement in typed.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
        if alias.asname == alias.name
    }
    assert seen == {(name, f"talkfield.{module}") for name, module in talkfield.PLACES.items()}
    assert len(talkfield.PLACES) == sum(len(names) for names in talkfield.MODULES.values())


def test_Z4_every_public_name_is_there() -> None:
    assert [name for name in talkfield.__all__ if getattr(talkfield, name, None) is None] == []
    assert set(talkfield.__all__) <= set(dir(talkfield))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        talkfield.nothing  # noqa: B018


def test_Z4_importing_the_library_loads_nothing_yet() -> None:
    loaded = python("import sys, talkfield; print(*sys.modules)").split()
    assert [name for name in loaded if name.startswith(("talkfield", "asyncio", "msgspec"))] == ["talkfield"]


def test_Z4_the_whole_library_needs_no_server_no_network_and_no_database() -> None:
    script = f"import sys; from talkfield import *; print([name for name in {HEAVY} if name in sys.modules])"
    assert python(script) == "[]"


def test_Z4_the_runtime_stands_on_msgspec_and_the_standard_library_alone() -> None:
    """Which is what makes its import quick: `benchmarks/bench_import.py`."""
    loaded = "import sys; {}; print(*sys.modules)"
    alone = set(python(loaded.format("import asyncio, dataclasses, decimal, msgspec")).split())
    with_runtime = set(python(loaded.format("from talkfield import ChatRuntime, SendRequest")).split())
    others = {name.partition(".")[0] for name in with_runtime - alone} - sys.stdlib_module_names
    assert others == {"talkfield"}


def test_D1_a_driver_is_made_for_what_the_provider_speaks() -> None:
    assert type(driver_for(PROVIDER)).__name__ == "OpenAiDriver"
    assert type(driver_for(replace(PROVIDER, api="anthropic"))).__name__ == "AnthropicDriver"
    with pytest.raises(InvalidArgument, match="api: is 'morse', and no driver speaks that") as refused:
        driver_for(replace(PROVIDER, api="morse"))
    assert refused.value.hint == "Known are openai and anthropic; a driver of your own goes to runtime_ports."


async def test_Z4_default_ports_price_check_and_ask_one_provider() -> None:
    await asyncio.to_thread(talkfield.DEFAULT_PRICES.load)
    await asyncio.to_thread(check_arguments, {}, {})  # what they import is not to be imported on the loop
    used = talkfield.Usage(input_tokens=1_000_000, output_tokens=0)
    driver = ScriptedDriver(
        [CallChunk("w", "look", '{"far": "no"}'), UsageChunk(used), FinishChunk("tool_calls")], [FinishChunk("stop")]
    )

    async def look(_arguments: object, _context: object) -> str:
        raise AssertionError("its arguments are wrong")

    schema = {"type": "object", "properties": {"far": {"type": "boolean"}}}
    tool = Tool(name="look", description="", schema=schema, run=look, needs_approval=False)
    recorder = Recorder()
    mine = talkfield.PriceOverride(prefix="gpt-4o", input=Decimal("2"), output=Decimal("8"))
    runtime = ChatRuntime(runtime_ports(PROVIDER, driver, recorder, tools=[tool], price_overrides=[mine]))
    node = talkfield.NodeId("n")
    asked = SendRequest(node=node, messages=[user_message("look")], provider=PROVIDER.id)
    assert await runtime.send(asked) == SendResult(ok=True, stop_reason="end_turn")
    costs = [event.cost for event in recorder.events if isinstance(event, talkfield.UsageReported)]
    assert costs[0] == MessageCost(usd=Decimal("2"), source="override", price_id="gpt-4o")
    assert [event.result for event in recorder.events if isinstance(event, talkfield.ToolReturned)] == [
        "the arguments do not fit look: far: 'no' is not of type 'boolean'"
    ]
    other = await runtime.send(replace(asked, provider=talkfield.ProviderId("other")))
    assert (other.ok, other.code) == (False, "no_provider")


def test_R5_a_persons_message_is_new_each_time() -> None:
    first, second = user_message("hi"), user_message("hi")
    assert (first.role, first.content, first.id == second.id) == ("user", "hi", False)
