"""Who hears of what a commit changed (architecture, law 1)."""

from __future__ import annotations

from builders import chat, message_record
from talkfield.core.changes import Append, Frame, Put, Transition
from talkfield.core.ids import RecordId
from talkfield.workspace.workspace import Workspace


def test_listeners_hear_of_every_commit_in_order_or_of_those_that_do_more_than_let_text_grow() -> None:
    message = message_record("m1", content="")
    subject = Workspace("epoch", [chat("n"), message])
    heard: dict[str, list[tuple[int, int]]] = {"all": [], "some": []}

    def note(name: str) -> None:
        def listener(frame: Frame, transitions: list[Transition]) -> None:
            heard[name].append((frame.seq, len(transitions)))

        ends.append(subject.listen(listener, growth=name == "all"))

    ends: list[object] = []
    note("all")
    note("some")
    grow = Append(RecordId("m1"), "content", "word")
    subject.commit([grow], "delta", "skip")
    subject.commit([grow, Put(chat("n2"))], "delta", "skip")
    subject.commit([Put(chat("n3"))], "delta", "skip")
    assert heard == {"all": [(1, 1), (2, 2), (3, 1)], "some": [(2, 2), (3, 1)]}
    for end in ends:
        assert callable(end)
        end()
    subject.commit([Put(chat("n4"))], "x", "skip")
    assert len(heard["all"]) == 3
