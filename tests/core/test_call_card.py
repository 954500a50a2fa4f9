"""Cards: made of the parsed arguments, all of it visible or counted, and bound to exactly this call."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from talkfield.core.card import Card, CardField, Preview, card_of, digest_of, field_of, with_preview
from talkfield.core.concern import Concern
from talkfield.core.ids import CallId
from talkfield.core.rule import RuleOffer

C1 = CallId("c1")
OFFER = RuleOffer(kind="any", pattern="", words="every call")


def test_T6_a_card_shows_every_argument_as_it_is() -> None:
    made = card_of(C1, "remote", "{}", {"to": "a@b", "count": 3, "deep": {"x": [1, None]}}, offers=[OFFER])
    assert made == Card(
        digest=digest_of(C1, "remote", "{}"),
        fields=(
            CardField(name="to", text="a@b", size_bytes=3),
            CardField(name="count", text="3", size_bytes=1),
            CardField(name="deep", text='{"x": [1, null]}', size_bytes=16),
        ),
        offers=(OFFER,),
    )


def test_check_44_T6_nothing_in_a_value_can_hide_or_push_the_rest_away() -> None:
    field = field_of("com\u202emand", "harmless\u200b" + "\n" * 5000 + "rm -rf /")
    assert field == CardField(
        name="com⟨U+202E⟩mand",
        text="harmless⟨U+200B⟩\n⟨4999 empty lines⟩\nrm -rf /",
        size_bytes=5019,
        altered=True,
    )


def test_T6_a_long_value_loses_its_middle_and_says_so() -> None:
    lines = field_of("x", "\n".join(map(str, range(1000))))
    assert lines.shortened
    assert lines.text.startswith("0\n1\n")
    assert "⟨840 lines are not shown here⟩" in lines.text
    assert lines.text.endswith("\n999")
    line = field_of("x", "a" * 100_000 + "rm -rf /")
    assert line.text.endswith("aarm -rf /")
    assert len(line.text) < 9000
    assert line.size_bytes == 100_008


def test_T6_no_number_of_arguments_makes_a_card_endless() -> None:
    made = card_of(C1, "remote", "{}", {f"a{number}": "x" * 100_000 for number in range(500)})
    assert len(made.fields) == 31
    assert made.fields[-1].name == "470 more arguments"
    assert sum(len(field.text) for field in made.fields) < 300_000


def test_T6_a_preview_takes_the_place_of_the_arguments_it_shows_better() -> None:
    made = with_preview(
        card_of(C1, "write_file", "{}", {"path": "a", "content": "x"}),
        Preview(diff="+x", added=1, cut=True, note="a new file", arguments=("content",), basis="secret-digest"),
    )
    assert made == Card(
        digest=digest_of(C1, "write_file", "{}"),
        fields=(CardField(name="path", text="a", size_bytes=1),),
        diff="+x",
        added=1,
        cut=True,
        note="a new file",
        ready=True,
    )


def test_T9_a_loud_card_offers_nothing_to_remember() -> None:
    made = card_of(C1, "write_file", "{}", {}, concern=Concern(why="It runs by itself."), offers=[OFFER])
    assert (made.loud, made.offers) == ("It runs by itself.", ())


@given(st.text(), st.text(), st.text(), st.text())
def test_check_42_R8_a_digest_is_of_one_call_one_tool_and_every_byte(a: str, b: str, c: str, d: str) -> None:
    same = (a, b) == (c, d)
    assert (digest_of(CallId(a), b, "{}") == digest_of(CallId(c), d, "{}")) is same
    assert (digest_of(C1, a, b) == digest_of(C1, c, d)) is same
