"""Files out and files in, by HTTP, with the real owner behind it (U12, U13)."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import UTC, date
from decimal import Decimal

import pytest

from builders import usage
from doubles import CountingIds
from server.server_doubles import NODE, ScriptedSession, ScriptedStudio, chat, message, running
from session_desk import END, desk
from talkfield.core.ids import NodeId
from talkfield.core.records import HISTORY_ID, EdgeRecord
from talkfield.errors import InvalidArgument, UnknownThing
from talkfield.runtime.ports import TextChunk, UsageChunk
from talkfield.server.import_archive import conversations_in
from talkfield.wire import client as ask
from talkfield.workspace.imports import Imports
from talkfield.workspace.long_work import LongWork

CLAUDE = json.dumps(
    [
        {
            "name": "Plans",
            "chat_messages": [
                {"uuid": "u", "sender": "human", "text": "hi", "parent_message_uuid": "-"},
                {"uuid": "a", "sender": "assistant", "text": "one", "parent_message_uuid": "u"},
                {"uuid": "b", "sender": "assistant", "text": "two", "parent_message_uuid": "u"},
            ],
        },
        {"name": "Other", "chat_messages": [{"uuid": "x", "sender": "human", "text": "yo"}]},
    ]
).encode()


def archive(name: str, data: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("readme.txt", "x")
        made.writestr(name, data)
    return held.getvalue()


async def test_U13_nothing_is_added_before_a_person_chose_and_then_all_is_one_undo_entry() -> None:
    async with desk() as subject:
        found = await subject.studio.preview_import(CLAUDE)
        assert (found.source, found.left_out) == ("Claude", 0)
        assert [(each.title, each.messages, each.branches) for each in found.conversations] == [
            ("Plans", 2, 1),
            ("Other", 1, 0),
        ]
        assert subject.session.nodes() == ()
        made = (await subject.do(ask.ImportConversations(file=found.id, conversations=(0,), x=10, y=20))).made
        assert subject.texts(NodeId(made[0])) == [("user", "hi"), ("assistant", "two")]
        assert subject.texts(NodeId(made[1])) == [("user", "hi"), ("assistant", "one")]
        edges = [record for record in subject.session.document if isinstance(record, EdgeRecord)]
        assert [(edge.source, edge.target, edge.kind) for edge in edges] == [(made[0], made[1], "lineage")]
        assert subject.record(HISTORY_ID).undo == "import"
        await subject.do(ask.Undo())
        assert subject.session.nodes() == ()
        with pytest.raises(InvalidArgument):
            await subject.do(ask.ImportConversations(file=found.id, conversations=(2,), x=0, y=0))
        with pytest.raises(UnknownThing):
            await subject.do(ask.ImportConversations(file="gone", conversations=(0,), x=0, y=0))


async def test_U13_what_was_exported_as_json_comes_back_as_copies_that_cost_nothing_again() -> None:
    script = (TextChunk("yo"), UsageChunk(usage(10, 5)), END)
    async with desk(script) as subject:
        chat = await subject.chat(title="Plans")
        await subject.say(chat, "hi")
        note = NodeId((await subject.do(ask.AddNode(kind="sticky", x=900, y=2))).made[0])
        await subject.do(ask.AddEdge(source=note, target=chat))
        file = subject.session.export("json", (chat, note), "Atlas")
        found = await subject.studio.preview_import(file)
        assert [(each.title, each.messages) for each in found.conversations] == [("Plans", 2), ("Note", 0)]
        made = (await subject.do(ask.ImportConversations(file=found.id, conversations=(0, 1, 1), x=10, y=500))).made
        copy, other = (subject.session.document.node(NodeId(each)) for each in made)
        assert copy is not None
        assert other is not None
        assert [(copy.x, copy.y), (other.x, other.y)] == [(10, 500), (909, 500)]
        assert subject.texts(copy.id) == [("user", "hi"), ("assistant", "yo")]
        assert all(message.usage is None for message in subject.session.document.messages(copy.id))
        with pytest.raises(InvalidArgument):
            await subject.do(ask.ImportConversations(file=found.id, conversations=(0, 1), x=9_999_999, y=0))
        await subject.do(ask.Undo())
        assert {node.id for node in subject.session.nodes()} == {chat, note}


async def test_X4_only_the_latest_files_wait() -> None:
    ids = CountingIds()
    imports = Imports(lambda: ids("attachment"), LongWork(lambda _changes: None))
    names = [(await imports.preview(CLAUDE)).id for _ in range(4)]
    with pytest.raises(UnknownThing):
        imports.chosen(names[0], (0,))
    file, numbers = imports.chosen(names[3], (1, 1))
    assert [file.conversations[number].title for number in numbers] == ["Other"]


def test_U13_the_archive_of_an_export_is_unpacked() -> None:
    assert conversations_in(archive("export/conversations.json", CLAUDE)) == CLAUDE
    assert conversations_in(CLAUDE) == CLAUDE


@pytest.mark.parametrize("data", [b"PK", b"PK\x03\x04" + bytes(60), archive("other.json", b"[]")])
def test_X5_a_broken_or_foreign_archive_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidArgument):
        conversations_in(data)


def test_X4_an_archive_that_grows_beyond_the_bound_is_refused() -> None:
    with pytest.raises(InvalidArgument):
        conversations_in(archive("conversations.json", bytes(3_000_000)), max_bytes=2_000_000)


async def test_U12_what_was_used_is_told_by_day_and_model() -> None:
    async with desk([TextChunk("hello"), UsageChunk(usage(30, 4), usd=Decimal("0.5")), END]) as subject:
        await subject.say(await subject.chat(), "hi")
        (row,) = await subject.studio.usage(since=0, zone=UTC)
        assert (row.input_tokens, row.output_tokens, row.usd, row.provider_calls) == (30, 4, Decimal("0.5"), 1)
        assert await subject.studio.usage(since=10**13, zone=UTC) == ()


async def test_U13_a_canvas_and_a_chat_are_given_out_as_files_that_can_do_nothing() -> None:
    session = ScriptedSession(chat(), message("m1", "about <b>rivers</b>"))
    async with running(ScriptedStudio(session)) as server:
        for name, piece in (("markdown", b"about <b>rivers"), ("html", b"about &lt;b&gt;rivers"), ("json", b"m1")):
            for address in (f"/api/projects/{session.project}/export", f"/api/nodes/{NODE}/export"):
                async with server.http.get(f"{server.url}{address}", params={"format": name}) as response:
                    assert response.status == 200
                    assert piece in await response.read()
                    assert response.headers["content-disposition"].startswith("attachment;")
                    assert "sandbox" in response.headers["content-security-policy"]
        async with server.http.get(f"{server.url}/api/nodes/{NODE}/export", params={"format": "pdf"}) as response:
            assert response.status == 422


async def test_U13_a_file_is_previewed_over_http() -> None:
    async with running(ScriptedStudio(ScriptedSession(chat()))) as server:
        headers = {"content-type": "application/octet-stream"}
        async with server.http.post(f"{server.url}/api/imports", data=CLAUDE, headers=headers) as response:
            assert response.status == 201
            assert (await response.json())["source"] == "ChatGPT"
        async with server.http.post(f"{server.url}/api/imports", data=b"PK", headers=headers) as response:
            assert response.status == 422


async def test_U12_usage_over_http_has_days_of_the_zone_asked_for() -> None:
    async with running(ScriptedStudio(ScriptedSession(chat()))) as server:
        async with server.http.get(f"{server.url}/api/usage", params={"days": "7", "zone": "Europe/Oslo"}) as response:
            table = await response.json()
            assert response.status == 200
            assert table["rows"] == []
            days = date.fromisoformat(table["until"]) - date.fromisoformat(table["since"])
            assert days.days == 6
        for query in ({"days": "4000"}, {"zone": "Nowhere/Land"}, {"zone": "../etc"}):
            async with server.http.get(f"{server.url}/api/usage", params=query) as response:
                assert response.status == 422
