"""Files and parameters that go with what is said, and the account that is kept of a reply (U11, U1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from builders import usage
from doubles import settle
from session_desk import END, Desk, desk
from talkfield.core.ids import MessageId
from talkfield.core.messages import Attachment, Message, ModelInfo, Receipt, ReceiptPart, Timing
from talkfield.core.nodes import ChatData
from talkfield.core.nodes.chat import ChatParameters
from talkfield.errors import InvalidArgument, ProviderRefused
from talkfield.providers.scripted import Fail, Hold, Pause
from talkfield.runtime.ports import Parameters, TextChunk, ThinkingChunk, UsageChunk
from talkfield.storage.memory import MemoryStore
from talkfield.wire import client as ask

PNG = Attachment(id="f1", name="a.png", media_type="image/png", size_bytes=3, digest="a" * 64)
TEXT = Attachment(id="f2", name="b.txt", media_type="text/plain", size_bytes=8, digest="b" * 64)
BYTES = {PNG.digest: b"png", TEXT.digest: b"12345678"}


async def files_of(messages: Sequence[Message]) -> Mapping[str, bytes]:
    return {file.digest: BYTES[file.digest] for message in messages for file in message.attachments}


def with_files(*scripts: Any, **more: Any) -> Any:
    more = {"context_limit": lambda _model, _provider: None, **more}
    return desk(*scripts, files=files_of, has_file=BYTES.__contains__, **more)


def sent_by(subject: Desk) -> list[Any]:
    driver: Any = subject.session.services.directory.driver_for(None)  # type: ignore[arg-type]
    return list(driver.requests)


async def over(subject: Desk) -> None:
    while any(subject.session.is_busy(node.id) for node in subject.session.nodes()):
        await settle(1)


async def test_U11_a_file_goes_with_its_message_alone_or_with_words() -> None:
    async with with_files([TextChunk("seen"), END], [TextChunk("read"), END]) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="", attachments=(PNG,)))
        await over(subject)
        await subject.do(ask.SendMessage(node=node, text="/cost is a word here", attachments=(TEXT,)))
        await over(subject)
        said = [message for message in subject.session.document.messages(node) if message.role == "user"]
        assert [(message.content, message.attachments) for message in said] == [
            ("", (PNG,)),
            ("/cost is a word here", (TEXT,)),
        ]
        assert subject.session.node_record(node).title == "a.png"
        assert [request.files for request in sent_by(subject)] == [{PNG.digest: b"png"}, BYTES]


async def test_U11_files_that_are_not_here_or_too_many_are_refused_and_change_nothing() -> None:
    async with with_files() as subject:
        node = await subject.chat()
        before = subject.session.seq
        gone = Attachment(id="x", name="gone", media_type="text/plain", size_bytes=1, digest="c" * 64)
        long = Attachment(id="x", name="n" * 256, media_type="text/plain", size_bytes=1, digest=PNG.digest)
        for files in ((gone,), (long,), (PNG,) * 21):
            with pytest.raises(InvalidArgument):
                await subject.do(ask.SendMessage(node=node, text="hi", attachments=files))
        with pytest.raises(InvalidArgument):
            await subject.do(ask.SendMessage(node=node, text=" "))
        assert subject.session.seq == before


async def test_U11_U10_files_wait_in_the_draft_and_the_queue_and_come_back_with_the_text() -> None:
    async with with_files([Hold()]) as subject:
        node = await subject.chat()
        await subject.do(ask.SaveDraft(node=node, text="look", attachments=(PNG,)))
        data = subject.session.node_record(node).data
        assert isinstance(data, ChatData)
        assert (data.draft, data.draft_files) == ("look", (PNG,))
        await subject.do(ask.SendMessage(node=node, text="look", attachments=(PNG,)))
        data = subject.session.node_record(node).data
        assert isinstance(data, ChatData)
        assert (data.draft, data.draft_files) == ("", ())
        queued = MessageId((await subject.do(ask.SendMessage(node=node, text="", attachments=(TEXT,)))).made[0])
        await subject.do(ask.EditQueued(queued=queued, text=""))
        outcome = await subject.do(ask.RemoveQueued(queued=queued))
        assert (outcome.text, outcome.attachments) == ("", (TEXT,))
        await subject.do(ask.SendMessage(node=node, text="again", attachments=(TEXT,)))
        stopped = await subject.do(ask.StopTurn(node=node))
        assert (stopped.made, stopped.text, stopped.attachments) == ((node,), "again", (TEXT,))
        await over(subject)
        undone = await subject.do(ask.Undo())
        assert (undone.text, undone.attachments) == ("look", (PNG,))


async def test_U11_what_was_queued_is_sent_with_its_files_and_edited_words_keep_theirs() -> None:
    async with with_files([Pause(1), TextChunk("a"), END], [TextChunk("b"), END], [TextChunk("c"), END]) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="one"))
        await subject.do(ask.SendMessage(node=node, text="two", attachments=(TEXT,)))
        await subject.clock.advance(1)
        await over(subject)
        second = subject.session.document.messages(node)[2]
        assert (second.content, second.attachments) == ("two", (TEXT,))
        await subject.do(ask.EditMessage(message=second.id, text=""))
        await over(subject)
        assert subject.session.document.messages(node)[2].attachments == (TEXT,)


async def test_U1_a_chats_parameters_are_sent_with_its_requests_and_can_be_taken_back() -> None:
    chosen = ChatParameters(
        temperature=0.5, top_p=0.9, effort="low", max_output_tokens=100, stop_sequences=("END", "\n\n"), seed=7
    )
    async with desk([TextChunk("a"), END], [TextChunk("b"), END]) as subject:
        node = await subject.chat()
        await subject.do(ask.ConfigureChat(node=node, parameters=chosen))
        await subject.say(node, "one")
        await subject.do(ask.ConfigureChat(node=node, parameters=ChatParameters()))
        data = subject.session.node_record(node).data
        assert isinstance(data, ChatData)
        assert data.parameters is None
        await subject.say(node, "two")
        assert [request.parameters for request in sent_by(subject)] == [
            Parameters(
                temperature=0.5,
                top_p=0.9,
                reasoning_effort="low",
                max_output_tokens=100,
                stop_sequences=("END", "\n\n"),
                seed=7,
            ),
            Parameters(),
        ]
        receipt = subject.session.document.messages(node)[1].receipt
        assert receipt is not None
        assert (receipt.temperature, receipt.effort, receipt.max_output_tokens) == (0.5, "low", 100)
        assert (receipt.top_p, receipt.stop_sequences, receipt.seed) == (0.9, ("END", "\n\n"), 7)


@pytest.mark.parametrize(
    "parameters",
    [
        ChatParameters(temperature=-0.1),
        ChatParameters(temperature=2.1),
        ChatParameters(temperature=float("nan")),
        ChatParameters(max_output_tokens=0),
        ChatParameters(max_output_tokens=10_000_001),
        ChatParameters(top_p=0),
        ChatParameters(top_p=1.1),
        ChatParameters(stop_sequences=("",)),
        ChatParameters(stop_sequences=("a" * 101,)),
        ChatParameters(stop_sequences=("a", "b", "c", "d", "e")),
        ChatParameters(seed=-1),
        ChatParameters(seed=2**53),
    ],
)
async def test_X5_parameters_out_of_all_bounds_are_refused(parameters: ChatParameters) -> None:
    async with desk() as subject:
        node = await subject.chat()
        with pytest.raises(InvalidArgument):
            await subject.do(ask.ConfigureChat(node=node, parameters=parameters))


async def test_U1_a_reply_keeps_what_was_sent_and_how_long_it_took() -> None:
    script = [Pause(2), ThinkingChunk("hm"), Pause(3), TextChunk("a"), Pause(1), UsageChunk(usage()), END]
    async with desk(script) as subject:
        node = await subject.chat(system="be kind")
        await subject.do(ask.SendMessage(node=node, text="12345678"))
        for seconds in (2, 3, 1):
            await subject.clock.advance(seconds)
        await over(subject)
        reply = subject.session.document.messages(node)[1]
        assert reply.receipt == Receipt(
            turns=1,
            parts=(ReceiptPart(source="system", count=1, tokens=2), ReceiptPart(source="you", count=1, tokens=2)),
        )
        assert reply.timing == Timing(total_ms=6000, first_ms=2000, thinking_ms=3000)


async def test_U1_a_reply_that_failed_or_was_stopped_has_its_account_too() -> None:
    store = MemoryStore()
    async with desk(
        [Pause(2), Fail(ProviderRefused("no", provider="scripted"))],
        [Pause(1), ThinkingChunk("hm"), Hold()],
        store=store,
    ) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="one"))
        await subject.clock.advance(2)
        await over(subject)
        failed = subject.session.document.messages(node)[1]
        assert failed.error is not None
        assert failed.timing == Timing(total_ms=2000)
        assert failed.receipt is not None
        await subject.do(ask.SendMessage(node=node, text="two"))
        await subject.clock.advance(1)
        await subject.clock.advance(4)
        await subject.do(ask.StopTurn(node=node))
        await over(subject)
        stopped = subject.session.document.messages(node)[-1]
        assert stopped.stopped
        assert stopped.timing == Timing(total_ms=5000, first_ms=1000, thinking_ms=4000)
        assert stopped.receipt is not None
        assert stopped.receipt.turns == 2


async def test_U11_what_a_provider_says_of_a_model_counts_more_than_its_dialect() -> None:
    for told, left in (((), ["b.txt"]), (None, [])):
        script: Any = [TextChunk("a"), END]
        async with with_files(script) as subject:
            directory: Any = subject.session.services.directory
            (record,) = directory.records()
            model = ModelInfo(id="scripted-1", takes=told)
            directory.records = lambda record=record, model=model: (replace(record, models=(model,)),)
            node = await subject.chat()
            await subject.do(ask.SendMessage(node=node, text="look", attachments=(TEXT,)))
            await over(subject)
            receipt = subject.session.document.messages(node)[1].receipt
            assert receipt is not None
            assert [each.what for each in receipt.left_out] == left
