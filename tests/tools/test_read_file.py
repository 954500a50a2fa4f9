"""Reading files: whole, in pieces, and what is no text."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talkfield.core.concern import Concern
from talkfield.errors import ToolError
from talkfield.tools.confinement import ProjectRoot
from talkfield.tools.read_file import TOOL
from talkfield.tools.read_file import read as read_opened
from talkfield.tools.thread import Cancellation, Cancelled
from tool_desk import context, make, refused, result


async def test_T9_a_file_is_read_with_a_line_on_what_follows(tmp_path: Path) -> None:
    make(tmp_path, a_txt="one\ntwo\nthree\n", empty_txt="", end_txt="no end")
    assert await result(TOOL, tmp_path, path="a.txt") == (
        "a.txt, lines 1 to 3, 14 bytes in all; which is the end:\none\ntwo\nthree\n"
    )
    assert await result(TOOL, tmp_path, path="./a.txt", start_line=2, line_count=1) == (
        "./a.txt, lines 2 to 2, 14 bytes in all; go on with start_line 3:\ntwo\n"
    )
    assert await result(TOOL, tmp_path, path="empty.txt") == "empty.txt is empty.\n"
    assert (await result(TOOL, tmp_path, path="end.txt")).endswith("which is the end:\nno end")
    assert await refused(TOOL, tmp_path, path="a.txt", start_line=9) == "a.txt: there is no line 9"
    assert await refused(TOOL, tmp_path, path="gone") == "gone: there is no such file or folder in the project"
    assert await refused(TOOL, None, path="a.txt") == "this chat's project has no folder"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0", "image/png, 640 x 480 pixels, 24 bytes. An image"),
        (b"GIF89a\x10\0\x20\0", "image/gif, 16 x 32 pixels"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"\x7fELF\x02", "application/x-executable"),
        (b"a\0b", "binary data, 3 bytes"),
        (b"%PDF-1.7\n", "application/pdf"),
    ],
)
async def test_check_41_what_is_no_text_is_recognised_not_read(tmp_path: Path, data: bytes, said: str) -> None:
    make(tmp_path, f_bin=data)
    assert said in await result(TOOL, tmp_path, path="f.bin")


@pytest.mark.parametrize(
    "data",
    ["grüße".encode(), b"\xef\xbb\xbf" + "grüße".encode(), "grüße".encode("utf-16"), "grüße".encode("utf-32")],
)
async def test_T9_text_in_any_common_encoding_is_read(tmp_path: Path, data: bytes) -> None:
    make(tmp_path, f_txt=data)
    assert (await result(TOOL, tmp_path, path="f.txt")).endswith(":\ngrüße")


async def test_check_41_bytes_that_are_no_utf8_are_marked(tmp_path: Path) -> None:
    make(tmp_path, f_txt=b"caf\xe9 au lait\n")
    said = await result(TOOL, tmp_path, path="f.txt")
    assert said.endswith("shown as \ufffd:\ncaf\ufffd au lait\n")


async def test_check_41_a_huge_file_costs_what_is_read_of_it(tmp_path: Path) -> None:
    make(tmp_path, big_txt="first\nsecond\n" * 2000)
    os.truncate(tmp_path / "big.txt", 10 * 1024**3)
    began = time.process_time()
    said = await result(TOOL, tmp_path, path="big.txt")
    assert said.startswith("big.txt, lines 1 to ")
    assert "10,737,418,240 bytes in all" in said
    assert time.process_time() - began < 5


async def test_check_41_a_line_of_a_hundred_megabytes_is_cut(tmp_path: Path) -> None:
    with open(tmp_path / "one", "wb") as file:  # noqa: ASYNC230
        for _ in range(100):
            file.write(b"y" * 1024 * 1024)
        file.write(b"\nnext\n")
    said = await result(TOOL, tmp_path, path="one")
    assert "line 1 is too long and cut" in said
    assert len(said) < 12 * 1024
    assert (await result(TOOL, tmp_path, path="one", start_line=2)).endswith("next\n")


@given(st.lists(st.sampled_from(["a", "ü" * 5, "", "x" * 30]), max_size=30), st.booleans(), st.integers(40, 90))
def test_T9_pieces_put_together_are_the_file(lines: list[str], ends: bool, max_bytes: int) -> None:
    text = "\n".join(lines) + ("\n" if ends and lines else "")
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), f=text)
        with ProjectRoot(context(Path(folder))) as root, root.file("f") as opened:
            pieces, first = "", 1
            while True:
                try:
                    said = read_opened(opened, "f", first, None, max_bytes, Cancellation())
                except ToolError:
                    break
                heading, _, piece = said.partition("\n")
                pieces += piece
                if "go on with" not in heading:
                    break
                first = int(heading.rstrip(":").rpartition(" ")[2])
    assert pieces == text


class LeftAlone(Cancellation):
    """Nobody waits any more once this has been looked at `after` times."""

    def __init__(self, *, after: int) -> None:
        super().__init__()
        self.checks, self._after = 0, after

    def check(self) -> None:
        self.checks += 1
        if self.checks == self._after:
            self.cancel()
        super().check()


def test_R10_a_read_that_nobody_waits_for_ends(tmp_path: Path) -> None:
    make(tmp_path, long="z" * (8 * 1024 * 1024))
    cancellation = LeftAlone(after=3)
    with (
        ProjectRoot(context(tmp_path)) as root,
        root.file("long") as opened,
        pytest.raises(Cancelled),
    ):
        read_opened(opened, "long", 2, None, 1000, cancellation)
    assert cancellation.checks == 3


def test_check_43_T9_reading_a_secret_is_asked_about() -> None:
    assert TOOL.concern({"path": "src/main.py"}) is None
    for path in (".env", "a/.ENV.local", "config/.e\u200bnv", "x/id_rsa", ".ssh/known_hosts", "tls.pem", "./.npmrc"):
        assert isinstance(TOOL.concern({"path": path}), Concern), path
    assert TOOL.concern({"path": ".env.example"}) is None
