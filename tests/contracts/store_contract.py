"""What every store keeps (the contract in `storage/base.py`). A store's test module subclasses it and gives `store`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta, timezone
from decimal import Decimal
from itertools import count
from math import inf, nan
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builders import assistant, call_record, chat, edge, message_record, sticky, usage
from strategies import strategy_for
from talkfield.core.audit import AuditEntry, AuditQuery
from talkfield.core.ids import CallId, MessageId, NodeId, ProjectId, RecordId, TurnId
from talkfield.core.messages import Attachment, MessageCost
from talkfield.core.records import DocumentRecord
from talkfield.core.shelf import ShelfItem
from talkfield.errors import InvalidArgument, SaveFailed, UnknownThing
from talkfield.storage.base import ProjectStore, ShelfEntry, StoredProject, UsageRow, WriteBatch

SHARED_STORE = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
    max_examples=40,
    deadline=None,
)
"""Examples share the store of the test, and take a project each; the same property runs in a class for each store."""

NUMBERS = count()

IDS = st.sampled_from(["a", "b", "c", "d"])
RECORDS = st.tuples(strategy_for(DocumentRecord), IDS).map(lambda pair: msgspec.structs.replace(pair[0], id=pair[1]))
BATCHES = st.builds(
    lambda puts, removes: (tuple(puts), tuple(removes)), st.lists(RECORDS, max_size=4), st.lists(IDS, max_size=2)
)
WRITES = st.lists(st.tuples(st.lists(BATCHES, max_size=3), st.booleans()), max_size=6)
"""Several batches each; True: with one for a project that does not exist, so that all of it must fail."""

QUERIES = st.text(max_size=12) | st.text("ab\"'*():^-+{}\\%_? \0\ud800漢", max_size=12)


def project(name: str = "p", **fields: Any) -> StoredProject:
    given_fields = {"title": name.upper(), "folder": None, "created_at": 1, "opened_at": 2}
    return StoredProject(id=ProjectId(name), **{**given_fields, **fields})


def batch(*puts: DocumentRecord, removes: tuple[str, ...] = (), into: str = "p") -> WriteBatch:
    return WriteBatch(project=ProjectId(into), puts=puts, removes=tuple(map(RecordId, removes)))


def audited(call: str, **fields: Any) -> AuditEntry:
    given_fields = {
        "node": NodeId("n"),
        "turn": TurnId("t"),
        "tool": "write_file",
        "args_json": '{"path":"a"}',
        "decision": "person",
        "at": 5,
        "outcome": "started",
    }
    return AuditEntry(call=CallId(call), **{**given_fields, **fields})


def loaded(store: ProjectStore, name: str = "p") -> dict[str, DocumentRecord]:
    """A project's records by id; each there once."""
    records = store.load(ProjectId(name))
    by_id: dict[str, DocumentRecord] = {record.id: record for record in records}
    assert len(by_id) == len(records)
    return by_id


def found(store: ProjectStore, text: str, name: str | None = None) -> set[str]:
    return {hit.message for hit in store.search(text, None if name is None else ProjectId(name))}


def shelf_item(name: str, text: str, *, taken_at: int = 1, **fields: Any) -> ShelfItem:
    node = chat(**{"title": "Plans", **fields})
    return ShelfItem(id=name, why="cleared", taken_at=taken_at, node=node, messages=(assistant(text),))


def said(store: ProjectStore, **texts: str) -> None:
    store.write([batch(*(message_record(name, content=text) for name, text in texts.items()))])


class StoreContract:
    """Run over every store; `store` holds no project when a test begins."""

    @pytest.fixture
    def filled(self, store: ProjectStore) -> ProjectStore:
        store.add_project(project())
        return store

    # The shelf

    def test_W14_what_was_shelved_is_listed_newest_first_and_comes_back_whole(self, filled: ProjectStore) -> None:
        older, newer = shelf_item("s1", "about rivers", taken_at=1), shelf_item("s2", "about hills", taken_at=2)
        filled.write([WriteBatch(project=ProjectId("p"), shelve=(older, newer))])
        expected = ShelfEntry(
            id="s2", node=NodeId("n"), title="Plans", why="cleared", taken_at=2, messages=1, snippet="about hills"
        )
        listed = filled.shelf(ProjectId("p"))
        assert [entry.id for entry in listed] == ["s2", "s1"]
        assert listed[0] == expected
        assert [filled.shelved(ProjectId("p"), name) for name in ("s1", "s2")] == [older, newer]
        assert filled.shelf(ProjectId("p"), limit=1) == [expected]

    def test_W14_the_shelf_is_searched_by_all_words_of_text_and_title(self, filled: ProjectStore) -> None:
        items = (shelf_item("s1", "about rivers 100%"), shelf_item("s2", "about hills"))
        filled.write([WriteBatch(project=ProjectId("p"), shelve=items)])
        for text, expected in {
            "ABOUT": {"s1", "s2"},
            "riv about": {"s1"},
            "plans hills": {"s2"},
            "100%": {"s1"},
            "_": set(),
            "valleys": set(),
            " ": {"s1", "s2"},
        }.items():
            assert {entry.id for entry in filled.shelf(ProjectId("p"), text)} == expected, text

    def test_W14_the_same_item_is_there_once_and_can_be_taken_off(self, filled: ProjectStore) -> None:
        item = shelf_item("s1", "text")
        for _ in range(2):
            filled.write([WriteBatch(project=ProjectId("p"), shelve=(item,))])
        assert len(filled.shelf(ProjectId("p"))) == 1
        filled.write([WriteBatch(project=ProjectId("p"), shelve=(item,), unshelve=("s1", "nobody"))])
        assert filled.shelf(ProjectId("p")) == []
        with pytest.raises(UnknownThing):
            filled.shelved(ProjectId("p"), "s1")

    def test_W14_the_shelf_belongs_to_its_project(self, filled: ProjectStore) -> None:
        filled.add_project(project("q"))
        filled.write([WriteBatch(project=ProjectId("q"), shelve=(shelf_item("s1", "text"),))])
        assert filled.shelf(ProjectId("p")) == []
        with pytest.raises(UnknownThing):
            filled.write([WriteBatch(project=ProjectId("nobody"), shelve=(shelf_item("s1", "text"),))])
        filled.remove_project(ProjectId("q"))
        filled.add_project(project("q"))
        assert filled.shelf(ProjectId("q")) == []

    def test_P7_what_is_shelved_before_it_was_ever_written_is_on_the_books(self, filled: ProjectStore) -> None:
        paid = msgspec.structs.replace(shelf_item("s1", ""), messages=(assistant("text", usage=usage(7, 3)),))
        for _ in range(2):
            filled.write([WriteBatch(project=ProjectId("p"), removes=(RecordId("a1"),), shelve=(paid,))])
        assert [(row.provider_calls, row.input_tokens) for row in filled.usage()] == [(1, 7)]

    def test_P5_a_copy_costs_nothing(self, filled: ProjectStore) -> None:
        copy = message_record("m2", usage=usage(7, 3), copied_from=MessageId("m1"))
        filled.write([batch(message_record("m1", usage=usage(7, 3)), copy)])
        assert [(row.provider_calls, row.input_tokens) for row in filled.usage()] == [(1, 7)]

    @SHARED_STORE
    @given(strategy_for(ShelfItem), QUERIES)
    def test_W14_whatever_is_shelved_comes_back_and_any_search_is_valid(
        self, filled: ProjectStore, item: ShelfItem, text: str
    ) -> None:
        item = msgspec.structs.replace(item, id=item.id or "s", taken_at=abs(item.taken_at))
        filled.write([WriteBatch(project=ProjectId("p"), shelve=(item,))])
        assert filled.shelved(ProjectId("p"), item.id) == item
        filled.shelf(ProjectId("p"), text)
        filled.write([WriteBatch(project=ProjectId("p"), unshelve=(item.id,))])

    def test_X5_what_json_cannot_hold_is_mended_on_the_shelf(self, filled: ProjectStore) -> None:
        odd = shelf_item("s1", "half \ud83d of it", x=nan)
        filled.write([WriteBatch(project=ProjectId("p"), shelve=(odd,))])
        kept = filled.shelved(ProjectId("p"), "s1")
        assert (kept.text, kept.node.x) == ("half \ufffd of it", 0)

    # The audit log

    def test_T8_calls_are_kept_in_the_order_in_which_they_began(self, filled: ProjectStore) -> None:
        first, second = audited("c1"), audited("c2", decision="rule r1", source="server", turn=None)
        filled.write([WriteBatch(project=ProjectId("p"), audit=(first, second))])
        ended = msgspec.structs.replace(first, outcome="done", duration_ms=1500)
        filled.write([WriteBatch(project=ProjectId("p"), audit=(ended,))])
        lines = filled.audit(ProjectId("p"))
        assert [line.entry for line in lines] == [ended, second]
        assert [line.entry for line in filled.audit(ProjectId("p"), after=lines[0].row)] == [second]
        assert filled.audit(ProjectId("p"), limit=1) == lines[:1]
        assert filled.audit(ProjectId("other")) == []

    def test_T8_the_newest_calls_come_first_and_only_those_that_fit(self, filled: ProjectStore) -> None:
        entries = (
            audited("c1", tool="a", args_json='{"path":"Src/100%_x"}', node=NodeId("n1")),
            audited("c2", tool="b", decision="rule r1", outcome="done", node=NodeId("n1")),
            audited("c3", tool="a", outcome="denied", node=NodeId("n2")),
        )
        filled.write([WriteBatch(project=ProjectId("p"), audit=entries)])

        def found(**query: Any) -> list[str]:
            return [line.entry.call for line in filled.recent_audit(ProjectId("p"), AuditQuery(**query))]

        assert found() == ["c3", "c2", "c1"]
        lines = filled.recent_audit(ProjectId("p"), AuditQuery(limit=2))
        assert found(before=lines[-1].row) == ["c1"]
        assert (found(tool="a"), found(node=NodeId("n1")), found(outcome="done")) == (
            ["c3", "c1"],
            ["c2", "c1"],
            ["c2"],
        )
        assert (found(words="src 0%_"), found(words="RULE"), found(words="100__")) == (["c1"], ["c2"], [])
        assert filled.recent_audit(ProjectId("other"), AuditQuery()) == []

    @SHARED_STORE
    @given(QUERIES)
    def test_X5_any_text_is_a_valid_search_of_the_log(self, filled: ProjectStore, text: str) -> None:
        filled.recent_audit(ProjectId("p"), AuditQuery(words=text, tool=text))

    def test_T8_what_ran_stays_on_record_when_its_project_goes(self, filled: ProjectStore) -> None:
        filled.write([WriteBatch(project=ProjectId("p"), audit=(audited("c1"),))])
        filled.remove_project(ProjectId("p"))
        assert [line.entry for line in filled.audit(ProjectId("p"))] == [audited("c1")]

    def test_X5_an_entry_that_no_text_can_hold_is_mended(self, filled: ProjectStore) -> None:
        odd = audited("c1", args_json='{"a":"\ud800"}', at=-5, duration_ms=2**70)
        filled.write([WriteBatch(project=ProjectId("p"), audit=(odd,))])
        [line] = filled.audit(ProjectId("p"))
        assert (line.entry.args_json, line.entry.at, line.entry.duration_ms) == ('{"a":"\ufffd"}', 0, 2**63 - 1)

    @SHARED_STORE
    @given(strategy_for(AuditEntry))
    def test_T8_whatever_is_audited_comes_back(self, filled: ProjectStore, entry: AuditEntry) -> None:
        whole = msgspec.structs.replace(
            entry,
            call=CallId(f"{entry.call}{next(NUMBERS)}"),
            at=abs(entry.at),
            duration_ms=abs(entry.duration_ms or 0),
        )
        filled.write([WriteBatch(project=ProjectId("p"), audit=(whole,))])
        assert whole in [line.entry for line in filled.audit(ProjectId("p"))]

    # Projects

    def test_projects_are_listed_by_when_they_were_opened(self, store: ProjectStore) -> None:
        assert store.projects() == []
        old, new = project("old", opened_at=5, folder="/work/Straße"), project("new", opened_at=9)
        store.add_project(old)
        store.add_project(new)
        assert store.projects() == [new, old]

    def test_adding_a_known_project_replaces_all_but_its_records(self, filled: ProjectStore) -> None:
        filled.write([batch(chat())])
        renamed = project(title="other", folder="/f", opened_at=10, file_digests=("b" * 64, "a" * 64), state="archived")
        filled.add_project(renamed)
        assert filled.projects() == [renamed]
        assert loaded(filled) == {"n": chat()}

    def test_removed_project_is_gone_with_its_records(self, filled: ProjectStore) -> None:
        filled.add_project(project("q"))
        filled.write([batch(message_record(content="word")), batch(message_record(content="word"), into="q")])
        filled.remove_project(ProjectId("p"))
        filled.remove_project(ProjectId("never there"))
        assert filled.projects() == [project("q")]
        with pytest.raises(UnknownThing):
            filled.load(ProjectId("p"))
        assert [hit.project for hit in filled.search("word")] == ["q"]
        filled.add_project(project())
        assert loaded(filled) == {}

    def test_X5_folder_that_is_no_text_is_refused(self, store: ProjectStore) -> None:
        with pytest.raises(InvalidArgument, match="folder"):
            store.add_project(project(folder="/work/\udcff"))
        assert store.projects() == []

    # Records

    def test_load_gives_back_what_was_written(self, filled: ProjectStore) -> None:
        records = (
            chat(x=1.5, y=-2e9, extra={"future": [1, {"deep": None}]}),
            sticky(),
            edge(),
            call_record(result="r", args_json='{"a": 1}'),
            message_record(
                content="text",
                usage=usage(cache_read_tokens=3),
                cost=MessageCost(usd=Decimal("0.000000000000000000123"), source="table"),
                ts=2**60,
            ),
        )
        filled.write([batch(*records)])
        assert loaded(filled) == {record.id: record for record in records}

    def test_put_replaces_and_remove_removes(self, filled: ProjectStore) -> None:
        filled.write([batch(chat(), sticky(), message_record(content="one"))])
        filled.write([batch(chat(x=7), message_record(content="two"), removes=("s", "never there"))])
        assert loaded(filled) == {"n": chat(x=7), "m1": message_record(content="two")}

    def test_remove_comes_after_put(self, filled: ProjectStore) -> None:
        filled.write([batch(chat(), sticky(), removes=("n",))])
        assert loaded(filled) == {"s": sticky()}

    def test_batches_of_a_write_follow_each_other(self, filled: ProjectStore) -> None:
        filled.write([batch(chat(x=1)), batch(removes=("n",)), batch(chat(x=2)), batch(chat(x=3))])
        assert loaded(filled) == {"n": chat(x=3)}
        filled.write([])
        assert loaded(filled) == {"n": chat(x=3)}

    def test_projects_do_not_share_ids(self, filled: ProjectStore) -> None:
        filled.add_project(project("q"))
        filled.write([batch(chat(x=1)), batch(chat(x=2), into="q")])
        filled.write([batch(removes=("n",))])
        assert (loaded(filled), loaded(filled, "q")) == ({}, {"n": chat(x=2)})

    def test_owner_of_a_record_is_the_project_that_holds_it(self, filled: ProjectStore) -> None:
        filled.add_project(project("q", opened_at=9))
        filled.write([batch(chat("one"), chat("both")), batch(chat("two"), chat("both"), into="q")])
        owners = {name: filled.owner_of(RecordId(name)) for name in ("one", "two", "both", "none")}
        assert owners == {"one": "p", "two": "q", "both": "q", "none": None}
        filled.write([batch(removes=("one",))])
        assert filled.owner_of(RecordId("one")) is None

    def test_record_may_become_another_kind(self, filled: ProjectStore) -> None:
        filled.write([batch(message_record("x", content="word"))])
        filled.write([batch(chat("x"))])
        assert (loaded(filled), found(filled, "word")) == ({"x": chat("x")}, set())
        filled.write([batch(message_record("x", content="word"))])
        assert found(filled, "word") == {"x"}

    @pytest.mark.parametrize("bad", [batch(chat("other"), into="gone"), batch(into="gone")], ids=["puts", "empty"])
    def test_W9_write_that_fails_leaves_nothing(self, filled: ProjectStore, bad: WriteBatch) -> None:
        with pytest.raises(UnknownThing, match="gone"):
            filled.write([batch(chat()), bad])
        assert loaded(filled) == {}

    def test_unknown_project_cannot_be_loaded(self, store: ProjectStore) -> None:
        with pytest.raises(UnknownThing, match="nowhere"):
            store.load(ProjectId("nowhere"))

    def test_X5_every_character_comes_back(self, filled: ProjectStore) -> None:
        text = "".join(map(chr, range(0x80))) + "\u2028\u2029\ufeff\u202e\uffff😀e\u0301\U0010ffff"
        record = message_record("\0", content=text, thinking=text, extra={text: text})
        filled.write([batch(record)])
        assert loaded(filled) == {"\0": record}

    def test_X5_lone_surrogate_becomes_the_replacement_character(self, filled: ProjectStore) -> None:
        filled.write([batch(message_record("\ud800", content="a\ud83d\ude00b\ud83dc", extra={"\udc00": ["\ud83d"]}))])
        assert loaded(filled) == {"�": message_record("�", content="a😀b�c", extra={"�": ["�"]})}
        filled.write([batch(removes=("\ud800",))])
        assert loaded(filled) == {}

    def test_X5_place_that_is_no_number_becomes_zero(self, filled: ProjectStore) -> None:
        filled.write([batch(chat(x=nan, y=inf, width=-inf))])
        assert loaded(filled) == {"n": chat(x=0.0, y=0.0, width=0.0)}

    def test_X5_record_that_cannot_be_stored_fails_by_name_and_leaves_nothing(self, filled: ProjectStore) -> None:
        deep: list[Any] = []
        for _ in range(100_000):
            deep = [deep]
        for extra in ({"a": deep}, {"a": object()}):
            with pytest.raises(SaveFailed, match="The message m1 cannot be stored"):
                filled.write([batch(chat(), message_record("m1", extra=extra))])
        assert loaded(filled) == {}
        while deep:
            deep = deep.pop()  # or taking it apart would be nested as deep

    @SHARED_STORE
    @given(writes=WRITES)
    def test_any_writes_load_as_a_dictionary_would(self, store: ProjectStore, writes: list[Any]) -> None:
        name = f"model-{next(NUMBERS)}"
        store.add_project(project(name))
        model: dict[str, DocumentRecord] = {}
        for batches, fails in writes:
            given_batches = [batch(*puts, removes=removes, into=name) for puts, removes in batches]
            if fails:
                with pytest.raises(UnknownThing):
                    store.write([*given_batches, batch(into="gone")])
                continue
            store.write(given_batches)
            for puts, removes in batches:
                model |= {record.id: record for record in puts}
                model = {id: record for id, record in model.items() if id not in removes}
        assert loaded(store, name) == model

    # Attachments

    def test_U11_attachments_that_anything_names_are_known(self, filled: ProjectStore) -> None:
        digests = [str(number) * 64 for number in range(4)]
        files = [
            Attachment(id=f"a{number}", name="x", media_type="text/plain", size_bytes=1, digest=digest)
            for number, digest in enumerate(digests)
        ]
        sent = message_record("m1", content=f'"digest":"{digests[3]}"', attachments=(files[0], files[1]))
        shelved = ShelfItem(
            id="s1", why="cleared", taken_at=1, node=chat(), messages=(assistant("x", attachments=(files[2],)),)
        )
        filled.write([batch(sent), WriteBatch(project=ProjectId("p"), shelve=(shelved,))])
        assert filled.named_blobs() == frozenset(digests[:3])
        filled.write([batch(removes=("m1",)), WriteBatch(project=ProjectId("p"), unshelve=("s1",))])
        assert filled.named_blobs() == frozenset()

    # Search

    def test_ST8_search_finds_all_words_and_the_last_as_a_beginning(self, filled: ProjectStore) -> None:
        said(filled, m1="The quick brown fox", m2="A quick answer", m3="Nothing here")
        assert found(filled, "quick") == {"m1", "m2"}
        assert found(filled, "fox quick") == {"m1"}
        assert found(filled, "QUICK ans") == {"m2"}
        assert found(filled, "qui answer") == set()
        assert found(filled, "absent") == set()

    def test_ST8_hit_says_where_it_is(self, filled: ProjectStore) -> None:
        filled.write([batch(message_record("m1", "chat-1", content="one\n\n two   three"))])
        [hit] = filled.search("two")
        assert (hit.project, hit.node, hit.message, hit.snippet) == ("p", "chat-1", "m1", "one two three")

    def test_ST8_snippet_is_a_piece_around_the_word(self, filled: ProjectStore) -> None:
        said(filled, m1="before " * 200 + "needle" + " after" * 200)
        [hit] = filled.search("needle")
        assert "needle" in hit.snippet
        assert len(hit.snippet) < 200

    def test_ST8_search_does_not_mind_case_and_accents(self, filled: ProjectStore) -> None:
        said(filled, m1="Ein ÜBERBLICK für Anfänger", m2="el niño")
        assert found(filled, "überblick anfanger") == {"m1"}
        assert found(filled, "NINO") == {"m2"}

    def test_ST8_search_follows_every_change(self, filled: ProjectStore) -> None:
        said(filled, m1="first", m2="second")
        said(filled, m1="third")
        assert (found(filled, "first"), found(filled, "third")) == (set(), {"m1"})
        filled.write([batch(removes=("m1",))])
        assert (found(filled, "third"), found(filled, "second")) == (set(), {"m2"})

    def test_ST8_search_in_one_project(self, filled: ProjectStore) -> None:
        filled.add_project(project("q"))
        filled.write(
            [batch(message_record("m1", content="word")), batch(message_record("m2", content="word"), into="q")]
        )
        assert found(filled, "word") == {"m1", "m2"}
        assert found(filled, "word", "q") == {"m2"}
        assert found(filled, "word", "nowhere") == set()

    def test_ST8_search_gives_no_more_than_asked_for(self, filled: ProjectStore) -> None:
        said(filled, **{f"m{number}": f"word {number}" for number in range(9)})
        assert len(filled.search("word", limit=4)) == 4
        assert filled.search("word", limit=0) == []

    @pytest.mark.parametrize(
        ("text", "query"),
        [
            ("it costs 5 ++ more", "++"),
            ("今日は良い天気です", "天気"),
            ("100% sure", "%"),
            ("snake_case_name", "case"),
            ("C++", "c++"),
        ],
    )
    def test_ST8_search_finds_what_is_no_word(self, filled: ProjectStore, text: str, query: str) -> None:
        said(filled, m1=text, m2="other")
        assert found(filled, query) == {"m1"}

    @SHARED_STORE
    @given(query=QUERIES)
    def test_ST8_any_text_is_a_valid_search(self, store: ProjectStore, query: str) -> None:
        store.add_project(project())
        said(store, m1="a b ab 漢字")
        assert found(store, query) <= {"m1"}

    def test_ST8_blank_search_finds_nothing(self, filled: ProjectStore) -> None:
        said(filled, m1="text", m2="")
        assert (found(filled, ""), found(filled, " \n\0")) == (set(), set())

    # Usage

    def test_U12_usage_is_summed_by_day_project_provider_and_model(self, filled: ProjectStore) -> None:
        filled.add_project(project("q"))
        paid = spent(usd="0.1", provider="x", model="m")
        filled.write([batch(paid("m1"), paid("m2"), paid("m3", at="01"), spent(model="free")("m4"), chat())])
        filled.write([batch(paid("m1"), into="q")])
        assert filled.usage() == [
            row("1970-01-02", model="free", unpriced=1),
            row("1970-01-02", provider="x", model="m", calls=2, usd="0.2"),
            row("1970-01-02", provider="x", model="m", usd="0.1", name="q"),
            row("1970-01-01", provider="x", model="m", usd="0.1"),
        ]

    def test_U12_usage_counts_a_call_once_and_by_its_last_state(self, filled: ProjectStore) -> None:
        filled.write([batch(spent()("m1"))])
        filled.write([batch(spent(usd="0.5")("m1"))])
        assert filled.usage() == [row("1970-01-02", usd="0.5")]

    def test_P7_what_was_spent_stays_on_the_books(self, filled: ProjectStore) -> None:
        filled.write([batch(spent(usd="0.5")("m1"), spent(usd="0.25")("m2"))])
        filled.write([batch(message_record("m2"), removes=("m1",))])
        filled.remove_project(ProjectId("p"))
        assert filled.usage() == [row("1970-01-02", calls=2, usd="0.75")]

    def test_U12_days_are_those_of_the_zone(self, filled: ProjectStore) -> None:
        filled.write([batch(spent()("m1"))])
        assert [day.day for day in filled.usage(zone=timezone(timedelta(hours=-13)))] == ["1970-01-01"]
        assert [day.day for day in filled.usage(zone=timezone(timedelta(hours=5, minutes=45)))] == ["1970-01-02"]

    def test_U12_usage_of_a_span_of_time(self, filled: ProjectStore) -> None:
        filled.write([batch(spent(at_ms=10)("m1"), spent(at_ms=20)("m2"), spent(at_ms=30)("m3"))])
        assert [day.provider_calls for day in filled.usage(since=20, until=30)] == [1]
        assert filled.usage(since=31) == []

    def test_P6_usage_of_impossible_numbers_is_bounded(self, filled: ProjectStore) -> None:
        wrong = message_record(
            ts=2**70,
            usage=usage(-5, 2**80, estimated=True),
            cost=MessageCost(usd=Decimal("NaN"), source="provider"),
        )
        filled.write([batch(wrong)])
        [day] = filled.usage()
        assert (day.day, day.input_tokens, day.output_tokens) == ("9999-01-01", 0, 2**63 - 1)
        assert (day.usd, day.unpriced, day.estimated) == (Decimal(0), 1, 1)
        assert repr(loaded(filled)["m1"]) == repr(wrong)


def spent(*, usd: str | None = None, at_ms: int | None = None, **fields: Any) -> Callable[..., DocumentRecord]:
    """Makes replies of 10 tokens in, 5 out; at noon of the second of January 1970, `at="01"`: of the first."""
    cost = MessageCost(usd=Decimal(usd or 0), source="table" if usd else "unpriced")

    def reply(message: str, at: str = "02") -> DocumentRecord:
        noon = 43_200_000 + (86_400_000 if at == "02" else 0)
        ts = noon if at_ms is None else at_ms
        return message_record(message, ts=ts, usage=usage(), cost=cost, **fields)

    return reply


def row(day: str, *, calls: int = 1, usd: str = "0", name: str = "p", **fields: Any) -> UsageRow:
    given_fields = {"provider": "", "model": "", "unpriced": 0, "estimated": 0}
    return UsageRow(
        day=day,
        project=ProjectId(name),
        provider_calls=calls,
        input_tokens=10 * calls,
        output_tokens=5 * calls,
        cache_read_tokens=0,
        cache_write_tokens=0,
        reasoning_tokens=0,
        usd=Decimal(usd),
        **{**given_fields, "unpriced": 0 if usd != "0" else calls, **fields},
    )
