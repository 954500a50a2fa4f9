"""What holds for any text a person may type (C5, C6, C9)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from talkfield.core.slash import COMMANDS, Note, SlashContext, detect_slash_command

NAMES = st.sampled_from(sorted(COMMANDS))
BLANKS = st.text(" \t\n\r\u00a0\u2003", min_size=1, max_size=3)


@given(
    st.text()
    | st.text().map(lambda text: "/" + text)
    | st.tuples(st.text(), NAMES).map("/".join)
    | st.tuples(NAMES, st.text()).map("/".join)
    | st.tuples(NAMES, st.text()).map(lambda parts: "/" + "".join(parts))
)
def test_C5_any_text_is_a_known_command_or_an_ordinary_message(text: str) -> None:
    call = detect_slash_command(text)
    if call is None:
        words = text[1:].split(None, 1)
        assert not text.startswith("/") or text[1:2].isspace() or not words or words[0].lower() not in COMMANDS
    else:
        assert text.startswith("/")
        assert call.name in COMMANDS
        assert text[1:].lower().startswith(call.name)
        assert call.argument == text[1 + len(call.name) :].strip()


@given(NAMES, st.lists(st.booleans(), min_size=6, max_size=6), BLANKS, st.text(), BLANKS)
def test_C6_an_argument_survives_whatever_is_in_it(
    name: str, upper: list[bool], before: str, argument: str, after: str
) -> None:
    typed = "".join(letter.upper() if big else letter for letter, big in zip(name, upper, strict=False))
    call = detect_slash_command(f"/{typed}{before}{argument}{after}")
    assert call is not None
    assert (call.name, call.argument) == (name, argument.strip())


@given(NAMES, st.text().map(str.strip), st.none() | st.text(min_size=1), st.text())
def test_C10_running_a_command_never_fails_and_always_answers(
    name: str, argument: str, model: str | None, system: str
) -> None:
    result = COMMANDS[name].run(SlashContext(argument=argument, model=model, system=system))
    assert result.actions
    assert result.undoable is not any(isinstance(action, Note) for action in result.actions)
