"""What a provider call was sent, by source, and what was left out."""

from __future__ import annotations

from builders import assistant, call, note, user
from talkfield.core.attachment import file_kind
from talkfield.core.ids import EdgeId, NodeId
from talkfield.core.messages import Attachment, FileKind, LeftOut, Message, Receipt, ReceiptPart, Source
from talkfield.core.receipt import receipt_of
from talkfield.core.transcript import transcript


def file(name: str = "a.txt", media_type: str = "text/plain", size_bytes: int = 40) -> Attachment:
    return Attachment(id=name, name=name, media_type=media_type, size_bytes=size_bytes, digest="0" * 64)


def given(*messages: Message, takes: tuple[FileKind, ...] = ("text",), **fields: object) -> Receipt:
    more: dict[str, object] = {"system": "", "tools": [], "provider": "Scripted", **fields}
    return receipt_of(messages, transcript(messages), takes=takes, **more)  # type: ignore[arg-type]


def test_U1_a_receipt_tells_what_was_sent_by_source() -> None:
    link = Source(node=NodeId("s"), link=EdgeId("e"))
    receipt = given(
        user("12345678"),
        assistant("1234", tool_calls=(call(name="look", args_json="{}", result="1234"),)),
        user("1234567890", "u2", source=link),
        user("1234", "u3", attachments=(file(), file("b.png", "image/png", 5_000_000))),
        system="123456789",
        tools=[("look", "look: looks at it")],
        takes=("text", "image"),
        temperature=0.5,
        effort="low",
        max_output_tokens=10,
    )
    assert receipt == Receipt(
        turns=2,
        parts=(
            ReceiptPart(source="system", count=1, tokens=3),
            ReceiptPart(source="you", count=2, tokens=3),
            ReceiptPart(source="replies", count=1, tokens=1),
            ReceiptPart(source="tools", count=1, tokens=3),
            ReceiptPart(source="links", count=1, tokens=3, names=("s",)),
            ReceiptPart(source="files", count=2, tokens=1010, names=("a.txt", "b.png")),
            ReceiptPart(source="toolList", count=1, tokens=5, names=("look",)),
        ),
        temperature=0.5,
        effort="low",
        max_output_tokens=10,
    )


def test_U1_a_receipt_tells_what_was_left_out_and_why() -> None:
    receipt = given(
        note(),
        assistant("", "a0"),
        Message(id="t", role="tool", content="of an older file", ts=1),  # type: ignore[arg-type]
        assistant("hello", thinking="let me see"),
        user("hi", attachments=(file("b.pdf", "application/pdf"),)),
    )
    assert [part.source for part in receipt.parts] == ["you", "replies"]
    assert receipt.left_out == (
        LeftOut(what="Notes", why="they are for you alone"),
        LeftOut(what="Results without a call", why="no provider takes them"),
        LeftOut(what="Empty messages", why="there is nothing in them to send"),
        LeftOut(
            what="Thinking of earlier replies",
            why="what a model thought is not said again; some services want it back within one turn",
        ),
        LeftOut(what="b.pdf", why="Scripted takes no files of this kind; it was told the name alone"),
    )


def test_U11_what_a_file_weighs_is_not_made_up() -> None:
    receipt = given(user("hi", attachments=(file("b.pdf", "application/pdf"),)), takes=("text", "document"))
    assert receipt.parts[-1] == ReceiptPart(source="files", count=1, tokens=None, names=("b.pdf",))


def test_U11_the_kind_of_a_file_is_told_by_its_type() -> None:
    types = {
        "image/PNG": "image",
        "application/pdf": "document",
        "audio/mpeg": "audio",
        "text/csv; charset=utf-8": "text",
        "application/json": "text",
        "application/zip": None,
        "": None,
    }
    assert {each: file_kind(file(media_type=each)) for each in types} == types
