"""The stories that the web UI's tests apply too are what the server really says today."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from talkfield import wire
from talkfield.core.document import Document
from talkfield.core.records import Record
from talkfield.wire.server import Frames, Welcome
from wire.golden_frames import FOLDER, STORIES, Story, golden


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_M8_golden_stories_are_current(story: Callable[[], Story]) -> None:
    file = FOLDER / f"{story.__name__}.json"
    assert file.read_bytes() == golden(story()), f"{file.name} is out of date; run: make types"


def test_M8_no_story_is_forgotten() -> None:
    assert {file.stem for file in FOLDER.glob("*.json")} == {story.__name__ for story in STORIES}


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.json")), ids=lambda file: file.stem)
def test_C9_the_frames_lead_to_the_records(file: Path) -> None:
    """What is in the file is enough: a document that knows only the messages ends with the same records."""
    data = msgspec.json.decode(file.read_bytes())
    document = Document()
    for said in data["messages"]:
        message = wire.decode_server(msgspec.json.encode(said))
        match message:
            case Welcome(records=records):
                document = Document(records or ())
            case Frames(frames=frames):
                for frame in frames:
                    document.apply(frame.changes)
    expected = msgspec.convert(data["records"], list[Record])
    assert sorted(document, key=lambda record: record.id) == expected
