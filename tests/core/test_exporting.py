"""Chats and canvases as files (U13)."""

from __future__ import annotations

import html.parser
import json
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import call_record, chat, document, edge, message_record, sticky
from talkfield.core.document import Document
from talkfield.core.exporting import FORMATS
from talkfield.core.exporting.base import ExportedNode, exported
from talkfield.core.exporting.html import escaped, to_html, written
from talkfield.core.ids import NodeId, RecordId
from talkfield.core.messages import Attachment, MessageError
from talkfield.core.nodes import ChatData, FileData, GroupData, StickyData
from talkfield.core.project import load_project


def subject() -> Document:
    talk = chat("n", title="Talk", y=50, data=ChatData(system="Be brief."))
    file = Attachment(id="f", name="plan.pdf", media_type="application/pdf", size_bytes=3, digest="0" * 64)
    failed = MessageError(code="x", message="The line broke.")
    return document(
        talk,
        replace(sticky("s"), data=StickyData(text="# Idea"), x=900, y=0),
        chat("g", data=GroupData(), y=-99),
        chat("empty", y=900),
        message_record("u1", role="user", content="Hi ```there```", attachments=(file,)),
        message_record("a1", index=1, content="", thinking="Well\nyes", model="gpt-5"),
        call_record("c1", "a1", name="read_file", args_json='{"path":"a"}', status="done", result="```\ntext\n```"),
        call_record("c2", "a1", index=1, status="denied"),
        message_record("a2", index=2, content="Done.", stopped=True),
        message_record("a3", index=3, content="", error=failed),
        message_record("o", index=4, role="note", content="a note"),
        edge("n", "s"),
    )


def written_as(name: str, *nodes: str) -> str:
    return FORMATS[name].write(subject(), {NodeId(node) for node in nodes}, "My canvas").decode()


MARKDOWN = """# Talk

**System**

Be brief.

**You**

Hi ```there```

[plan.pdf]

**gpt-5**

> Well
> yes

Tool `read_file` (done)

```json
{"path":"a"}
```

````
```
text
```
````

Tool `look` (denied)

```json
{}
```

**Assistant**

Done.

*Stopped*

**Assistant**

*The line broke.*

**Note**

a note
"""


def test_U13_a_chat_as_markdown_has_every_word_as_it_was() -> None:
    assert written_as("markdown", "n") == MARKDOWN


def test_U13_a_canvas_as_markdown_is_in_reading_order_without_groups() -> None:
    found = written_as("markdown", "n", "s", "g", "empty")
    headings = [line for line in found.splitlines() if line.startswith(("# ", "## "))]
    assert headings == ["# My canvas", "## Note", "# Idea", "## Talk", "## Untitled chat"]


def test_U13_a_file_on_the_canvas_is_exported_by_its_path() -> None:
    plan = chat("f", data=FileData(path="docs/plan.md"))
    assert [(each.title, each.note) for each in exported(document(plan), [plan.id])] == [("File", "docs/plan.md")]


class Tags(html.parser.HTMLParser):
    """What a browser would make of a text."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.words: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, Any]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.words.append(data)


OURS = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "article", "div", "p", "pre"}
OURS |= {"details", "summary"}


def test_U13_html_holds_the_words_and_nothing_that_acts() -> None:
    read = Tags(written_as("html", "n", "s"))
    assert read.tags <= OURS
    assert read.attributes <= {"charset", "http-equiv", "content", "name", "class"}
    words = "".join(read.words)
    for each in ("My canvas", "Talk", "Be brief.", "Well\nyes", "gpt-5", "plan.pdf", "The line broke.", "# Idea"):
        assert each in words
    assert "<h1>Talk</h1>" in written_as("html", "n")


@given(st.text())
def test_check_47_X3_no_text_becomes_a_tag_in_html(text: str) -> None:
    parsed = Tags(written(text))
    assert parsed.tags <= {"div", "pre"}
    plain = to_html(text, (ExportedNode(title=text, note=text), ExportedNode(title="b", system=text)))
    assert Tags(plain).tags <= OURS
    assert Tags(f"<p>{escaped(text)}</p>").tags == {"p"}


def test_U13_code_is_set_apart_to_its_own_fence() -> None:
    assert written("a\n~~~\n<b>\n```\n~~~ \nz") == (
        '<div class="text">a</div><pre>&lt;b&gt;\n```</pre><div class="text">z</div>'
    )
    assert written("```py\nopen") == "<pre>open</pre>"


def test_U13_json_is_a_project_file_with_all_messages_and_what_joins_the_nodes() -> None:
    data = written_as("json", "n", "s")
    file = load_project(data)
    assert set(file.nodes) == {"n", "s"}
    assert [message.content for message in file.nodes[NodeId("n")].messages][-1] == "a note"
    assert len(file.edges) == 1
    assert json.loads(written_as("json", "n"))["edges"] == {}
    assert RecordId("n") in json.loads(data)["nodes"]
    assert msgspec.json.decode(data)
