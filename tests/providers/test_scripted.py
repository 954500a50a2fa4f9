from __future__ import annotations

import asyncio
import re
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.provider_doubles import (
    HandClock,
    NoWaitClock,
    assistant,
    called,
    parts,
    played,
    request,
    settle,
    text_of,
    user,
)
from talkfield.core.messages import Usage
from talkfield.errors import (
    ProviderCut,
    ProviderError,
    ProviderLimited,
    ProviderRefused,
    ProviderUnreachable,
    StartFailed,
)
from talkfield.providers.script import Fail, Hold, Pause, script_for
from talkfield.providers.script_file import rules_from, script_by_rules
from talkfield.providers.scripted import ScriptedDriver, chooser, scripted_rules
from talkfield.runtime.ports import (
    CallChunk,
    Chunk,
    FinishChunk,
    RetryChunk,
    TextChunk,
    ThinkingChunk,
    UsageChunk,
)

# The driver


async def test_D1_scripts_are_played_one_for_each_call_in_order() -> None:
    driver = ScriptedDriver(
        [TextChunk("one"), FinishChunk("stop")], [[TextChunk("t"), TextChunk("wo")], FinishChunk("stop")]
    )

    first, second = request(user("a")), request(user("b"))
    assert await played(driver, first) == [TextChunk("one"), FinishChunk("stop")]
    assert [part async for part in driver.stream(second)] == [[TextChunk("t"), TextChunk("wo")], [FinishChunk("stop")]]
    assert driver.requests == [first, second]
    driver.assert_played()


@pytest.mark.unplayed
async def test_D1_a_script_that_was_not_asked_for_is_told() -> None:
    driver = ScriptedDriver([FinishChunk("stop")])

    with pytest.raises(AssertionError, match="1 scripts were never asked for"):
        driver.assert_played()


@pytest.mark.unplayed
async def test_D1_a_call_without_a_script_is_refused_and_told() -> None:
    driver = ScriptedDriver()

    with pytest.raises(ProviderRefused, match="no script left"):
        await played(driver, request(user("a")))
    with pytest.raises(AssertionError, match="1 calls had no script"):
        driver.assert_played()


async def test_D1_pauses_are_measured_by_the_injected_clock() -> None:
    clock = HandClock()
    driver = ScriptedDriver([TextChunk("a"), Pause(3), TextChunk("b"), FinishChunk("stop")], clock=clock)
    seen: list[Chunk] = []
    reading = asyncio.create_task(parts(driver.stream(request(user("go"))), seen))

    await clock.advance(2.9)
    assert seen == [TextChunk("a")]
    await clock.advance(0.2)
    assert seen == [TextChunk("a"), TextChunk("b"), FinishChunk("stop")]
    await reading


async def test_D1_a_hold_waits_for_its_release() -> None:
    hold = Hold()
    driver = ScriptedDriver([TextChunk("a"), hold, FinishChunk("stop")])
    seen: list[Chunk] = []
    reading = asyncio.create_task(parts(driver.stream(request(user("go"))), seen))

    await hold.reached()
    assert seen == [TextChunk("a")]
    with pytest.raises(AssertionError, match="1 streams are still open"):
        driver.assert_played()
    hold.release()
    await reading
    assert seen == [TextChunk("a"), FinishChunk("stop")]
    driver.assert_played()


async def test_D1_release_lets_go_whatever_is_held() -> None:
    driver = ScriptedDriver([Hold(), FinishChunk("stop")])
    seen: list[Chunk] = []
    reading = asyncio.create_task(parts(driver.stream(request(user("go"))), seen))
    await settle()

    driver.release()
    await reading
    assert seen == [FinishChunk("stop")]


async def test_R10_a_held_stream_ends_at_once_when_it_is_cancelled() -> None:
    driver = ScriptedDriver([TextChunk("a"), Hold()])
    reading = asyncio.create_task(parts(driver.stream(request(user("go"))), []))
    await settle()

    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    driver.assert_played()


async def test_D5_a_failure_is_raised_where_the_script_has_it() -> None:
    error = ProviderUnreachable("gone")
    driver = ScriptedDriver([TextChunk("a"), Fail(error)])
    seen: list[Chunk] = []

    with pytest.raises(ProviderUnreachable) as raised:
        await parts(driver.stream(request(user("go"))), seen)
    assert (seen, raised.value) == ([TextChunk("a")], error)
    driver.assert_played()


# What the chat's words choose


async def answer(*messages: str, model: str = "scripted-1", clock: NoWaitClock | None = None) -> list[Chunk]:
    driver = ScriptedDriver(choose=script_for, clock=clock or NoWaitClock())
    return await played(driver, request(*(user(text) for text in messages), model=model))


async def test_D1_plain_text_comes_back_word_by_word_with_usage() -> None:
    clock = NoWaitClock()

    assert await answer("hello there", clock=clock) == [
        TextChunk("echo:"),
        TextChunk(" hello"),
        TextChunk(" there"),
        UsageChunk(Usage(input_tokens=3, output_tokens=5), model="scripted-1", usd=Decimal("0.000008")),
        FinishChunk("stop", raw="stop"),
    ]
    assert clock.slept == [1 / 30, 1 / 30]


async def test_P4_the_second_model_does_not_say_what_it_costs() -> None:
    chunks = await answer("hello there", model="scripted-2")

    assert chunks[-2] == UsageChunk(Usage(input_tokens=3, output_tokens=5), model="scripted-2", usd=None)


@given(text=st.text(alphabet="aé \t\n\u2028😀0.", max_size=60))
async def test_D1_an_echo_has_every_character(text: str) -> None:
    chunks = await answer("x" + text)

    assert text_of(chunks) == "echo: " + ("x" + text).strip()


async def test_D1_stream_says_so_many_words_at_that_rate() -> None:
    clock = NoWaitClock()
    chunks = await answer("stream 50 words at 25/s", clock=clock)

    assert text_of(chunks) == " ".join(f"word-{number}" for number in range(1, 51))
    assert clock.now_s == pytest.approx(49 / 25)


async def test_D1_a_fast_stream_comes_in_groups_and_misses_nothing() -> None:
    clock = NoWaitClock()
    chunks = await answer("Stream 1000 words at 2000/s", clock=clock)

    assert text_of(chunks) == " ".join(f"word-{number}" for number in range(1, 1001))
    assert len(clock.slept) == 49
    assert clock.now_s == pytest.approx(0.49)


async def test_D1_stream_at_once_is_one_piece() -> None:
    chunks = await answer("stream 3 words at once")

    assert chunks[0] == TextChunk("word-1 word-2 word-3")


async def test_D10_thinking_comes_before_the_answer_and_is_counted() -> None:
    chunks = await answer("think then answer")
    kinds = [type(chunk) for chunk in chunks]
    usage = next(chunk.usage for chunk in chunks if isinstance(chunk, UsageChunk))

    assert kinds.index(TextChunk) == kinds.count(ThinkingChunk) > 5
    assert 0 < usage.reasoning_tokens < usage.output_tokens


@pytest.mark.parametrize(
    ("status", "error", "retryable"),
    [
        (401, ProviderRefused, False),
        (402, ProviderLimited, False),
        (404, ProviderRefused, False),
        (429, ProviderLimited, True),
        (500, ProviderUnreachable, True),
        (529, ProviderLimited, True),
    ],
)
async def test_D5_fail_gives_the_error_of_that_status(status: int, error: type[ProviderError], retryable: bool) -> None:
    with pytest.raises(error) as raised:
        await answer(f"fail {status}")

    assert (raised.value.status, raised.value.retryable) == (status, retryable)


@pytest.mark.parametrize(
    ("words", "error"), [("fail after 3 words", ProviderUnreachable), ("cut after 3 words", ProviderCut)]
)
async def test_D4_what_came_before_a_break_is_kept(words: str, error: type[ProviderError]) -> None:
    driver = ScriptedDriver(choose=script_for, clock=NoWaitClock())
    seen: list[Chunk] = []

    with pytest.raises(error):
        await parts(driver.stream(request(user(words))), seen)
    assert seen == [TextChunk("word-1"), TextChunk(" word-2"), TextChunk(" word-3")]


async def test_D6_retries_are_shown_and_waited_for() -> None:
    clock = NoWaitClock()
    chunks = await answer("retry 2 times after 4 s", clock=clock)

    assert chunks[:2] == [
        RetryChunk(2, 4.0, "the scripted service is overloaded"),
        RetryChunk(3, 4.0, "the scripted service is overloaded"),
    ]
    assert text_of(chunks) == "answered at last"
    assert clock.slept[:2] == [4.0, 4.0]


async def test_R10_slow_is_silent_until_stopped() -> None:
    driver = ScriptedDriver(choose=script_for, clock=HandClock())
    seen: list[Chunk] = []
    reading = asyncio.create_task(parts(driver.stream(request(user("slow"))), seen))
    await settle()

    assert not reading.done()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert seen == []


async def test_T1_call_lines_are_calls_of_one_reply() -> None:
    chunks = await answer('Looking.\ncall read_file {"path": "a.txt"}\ncall list_dir')

    assert [chunk for chunk in chunks if not isinstance(chunk, UsageChunk)] == [
        TextChunk("Looking."),
        CallChunk("call_1", "read_file", '{"path": "a.txt"}'),
        CallChunk("call_2", "list_dir", "{}"),
        FinishChunk("tool_calls", raw="tool_calls"),
    ]


async def test_T1_the_reply_after_calls_tells_their_results() -> None:
    driver = ScriptedDriver(choose=script_for, clock=NoWaitClock())
    history = (
        user("call a {}\ncall b {}"),
        assistant("", called("a", "4 files"), called("b", "denied by user", is_error=True)),
    )
    chunks = await played(driver, request(*history))

    assert text_of(chunks) == "a said: 4 files\n\nb failed: denied by user"
    assert chunks[-1] == FinishChunk("stop", raw="stop")


async def test_T2_keep_calling_never_ends_by_itself() -> None:
    driver = ScriptedDriver(choose=script_for, clock=NoWaitClock())
    history = (user("keep calling a {}"), assistant("", called("a", "1")), assistant("", called("a", "2")))

    assert (await played(driver, request(*history)))[0] == CallChunk("call_1", "a", "{}")


async def test_L2_recall_tells_what_the_model_was_sent() -> None:
    driver = ScriptedDriver(choose=script_for, clock=NoWaitClock())
    chunks = await played(driver, request(user("first"), assistant("yes"), user("recall"), system="be brief"))

    assert text_of(chunks) == "system: be brief\n\nuser: first\n\nassistant: yes\n\nuser: recall"


async def test_D4_finish_names_how_it_ends() -> None:
    assert (await answer("some text\nfinish length"))[-1] == FinishChunk("length", raw="length")


async def test_D1_only_the_last_user_message_is_obeyed() -> None:
    assert text_of(await answer("fail 500", "hi")) == "echo: hi"


# Script files

rules_toml = r"""
[[rules]]
when = "weather"
steps = [{ thinking = "hm" }, { call = "get_weather", args = { city = "Bern" } }]

[[rules]]
when = "weather"
round = 1
steps = [{ words = "It rains" }, { usage = { inputTokens = 9, outputTokens = 2 } }, { finish = "stop" }]

[[rules]]
when = "^down"
steps = [{ text = "so far" }, { pause_s = 1.5 }, { fail = 503, message = "closed" }]
"""


async def test_D1_a_script_file_comes_before_the_chats_own_words() -> None:
    clock = NoWaitClock()
    driver = ScriptedDriver(choose=chooser(rules_from(rules_toml, name="demo.toml")), clock=clock)
    asked = user("How is the WEATHER?")

    assert await played(driver, request(asked)) == [
        ThinkingChunk("hm"),
        CallChunk("call_1", "get_weather", '{"city": "Bern"}'),
        FinishChunk("tool_calls"),
    ]
    assert await played(driver, request(asked, assistant("", called("get_weather", "rain")))) == [
        TextChunk("It"),
        TextChunk(" rains"),
        UsageChunk(Usage(input_tokens=9, output_tokens=2), model="scripted-1"),
        FinishChunk("stop", raw="stop"),
    ]
    with pytest.raises(ProviderLimited, match="closed"):
        await played(driver, request(user("down we go")))
    assert text_of(await played(driver, request(user("else")))) == "echo: else"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"rules": [{"steps": [{"text": "a", "fail": 500}]}]}', r"\$.rules\[0\].steps\[0\]"),
        ('{"rules": [{"steps": [{"speak": "a"}]}]}', r"\$.rules\[0\].steps\[0\]"),
        ('{"rules": [{"when": "(", "steps": []}]}', "unterminated"),
        ('{"rules": ', "truncated"),
    ],
)
def test_X5_a_bad_script_file_names_the_place(text: str, place: str) -> None:
    with pytest.raises(StartFailed, match=place):
        rules_from(text, name="demo.json")


def test_Z2_the_switch_is_off_by_default_on_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "demo.json"
    file.write_text('{"rules": []}')

    assert [scripted_rules({"TALKFIELD_SCRIPTED": value}) for value in ("", "0", "1", str(file))] == [
        None,
        None,
        (),
        (),
    ]
    with pytest.raises(StartFailed, match=r"missing\.json"):
        scripted_rules({"TALKFIELD_SCRIPTED": str(tmp_path / "missing.json")})


# What is promised to people


page = (Path(__file__).parents[2] / "docs" / "providers.md").read_text("utf-8")
promised = re.findall(r"`([^`]+)`", " ".join(re.findall(r"^\| (`.*?) \|", page.partition("| line |")[2], re.MULTILINE)))


def test_D1_the_page_lists_what_can_be_said() -> None:
    assert len(promised) == 15


@pytest.mark.parametrize("line", promised)
def test_D1_every_line_on_the_page_is_played(line: str) -> None:
    script = script_for(request(user(line)))

    assert not any(isinstance(step, TextChunk) and step.text.startswith("echo") for step in script.steps)


def test_D1_the_example_of_a_script_file_can_be_used() -> None:
    example = page.partition("```toml\n")[2].partition("```")[0]

    assert len(rules_from(example, name="example.toml")) == 2


def test_Z2_a_rule_may_be_for_one_model_alone() -> None:
    text = """
        [[rules]]
        model = "^small$"
        steps = [{ text = "from the small one" }]

        [[rules]]
        steps = [{ text = "from any other" }]
    """
    rules = rules_from(text, name="script.toml")
    played = [script_by_rules(rules, request(user("hi"), model=model)) for model in ("small", "large")]
    assert [script.steps[0] for script in played if script] == [
        TextChunk("from the small one"),
        TextChunk("from any other"),
    ]
