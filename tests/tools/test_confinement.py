"""Nothing outside the project's folder is ever opened, whatever the path, the links, and who exchanges them."""

from __future__ import annotations

import errno
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talkfield.errors import ToolError
from talkfield.tools.confinement import READ_FILE, READ_FOLDER, ProjectRoot, parts_of
from talkfield.tools.kernel_open import BeneathOpen, kernel_open
from talkfield.tools.stepwise_open import stepwise_open
from tool_desk import context, descriptors, make

RACE_S = float(os.environ.get("TALKFIELD_RACE_S", "0.4"))
"""How long each race is run; check it harder with TALKFIELD_RACE_S=60."""

KERNEL = kernel_open()
WAYS = pytest.mark.parametrize("kernel", [pytest.param(True, id="kernel"), pytest.param(None, id="stepwise")])


@pytest.fixture(autouse=True)
def nothing_stays_open() -> Iterator[None]:
    before = descriptors()
    yield
    assert descriptors() == before


def content(root: ProjectRoot, path: str) -> bytes:
    with root.file(path) as opened:
        return os.read(opened.descriptor, 1000)


def refusal_of(work: Callable[[], object]) -> str:
    with pytest.raises(ToolError) as caught:
        work()
    return caught.value.message


@pytest.mark.parametrize(
    "path",
    [
        *("../secret", "a/../../secret", "..", "a/..", "/etc/passwd", "/", "~", "~/x", "a\0b", "x" * 256),
        *("a/" * 3000, "\ud800", "../project-evil/x", "./../x"),
    ],
)
def test_check_39_T9_a_path_that_could_lead_out_is_refused_by_its_words(path: str) -> None:
    with pytest.raises(ToolError):
        parts_of(path)


@WAYS
@pytest.mark.parametrize(
    "path", ["%2e%2e/secret", "..\\secret", ". ./secret", ".. /secret", "．．/secret", "…/secret", "A/../b", "proj/"]
)
def test_check_39_T9_look_alikes_of_a_way_out_are_only_names(
    tmp_path: Path, path: str, kernel: BeneathOpen | bool | None
) -> None:
    make(tmp_path, secret="no")
    with ProjectRoot(context(make(tmp_path / "proj")), kernel=kernel) as root:
        assert "secret" not in refusal_of(lambda: content(root, path)).replace(path, "")


@WAYS
def test_check_39_T9_a_sibling_with_the_same_beginning_is_outside(
    tmp_path: Path, kernel: BeneathOpen | bool | None
) -> None:
    make(tmp_path / "proj-evil", x="no")
    proj = make(tmp_path / "proj")
    (proj / "link").symlink_to("../proj-evil/x")
    with ProjectRoot(context(proj), kernel=kernel) as root:
        assert "leads out" in refusal_of(lambda: content(root, "link"))


@WAYS
def test_check_40_T9_links_are_followed_inside_and_not_out(tmp_path: Path, kernel: BeneathOpen | bool | None) -> None:
    make(tmp_path, outside="no")
    proj = make(tmp_path / "proj", "d/e", a_txt="inside", d__f_txt="deep")
    links = {
        "in": "a.txt",
        "chain": "in",
        "d/up": "../a.txt",
        "folder": "d",
        "d/e/down": "../../folder/f.txt",
        "out": "../outside",
        "absolute": str(tmp_path / "outside"),
        "own": str(proj / "a.txt"),
        "loop": "loop",
        "up": "..",
        "proc": "/proc/self/root",
        "nowhere": "gone",
        "d/out": "../../outside",
    }
    for name, target in links.items():
        (proj / name).symlink_to(target)
    with ProjectRoot(context(proj), kernel=kernel) as root:
        inside = {
            name: content(root, name) for name in ("in", "chain", "d/up", "folder/f.txt", "d/e/down", "folder/up")
        }
        assert inside == {
            **dict.fromkeys(("in", "chain", "d/up", "folder/up"), b"inside"),
            **dict.fromkeys(("folder/f.txt", "d/e/down"), b"deep"),
        }
        for name in ("out", "absolute", "own", "up/outside", "proc/etc/passwd", "d/out", "folder/out"):
            assert "leads out" in refusal_of(lambda name=name: content(root, name)), name  # type: ignore[misc]
        assert "lead nowhere" in refusal_of(lambda: content(root, "loop"))
        assert "there is no such" in refusal_of(lambda: content(root, "nowhere"))
        with root.file("folder/up") as opened:
            assert opened.path == "a.txt"
        with root.folder("folder/e") as opened:
            assert opened.path == "d/e"


@WAYS
def test_check_40_T9_only_ordinary_files_are_opened_and_nothing_hangs(
    tmp_path: Path, kernel: BeneathOpen | bool | None
) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
    (tmp_path / "folder").mkdir()
    with ProjectRoot(context(tmp_path), kernel=kernel) as root:
        said = [refusal_of(lambda name=name: content(root, name)) for name in ("pipe", "socket", "folder")]  # type: ignore[misc]
        assert said == [
            "pipe: it is no ordinary file",
            "socket: it is no ordinary file",
            "folder: it is a folder",
        ]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
@WAYS
def test_check_40_T9_a_device_is_not_read(tmp_path: Path, kernel: BeneathOpen | bool | None) -> None:
    os.mknod(tmp_path / "zero", 0o666 | 0o020000, os.makedev(1, 5))
    with ProjectRoot(context(tmp_path), kernel=kernel) as root:
        assert "ordinary" in refusal_of(lambda: content(root, "zero"))


@WAYS
def test_check_43_T9_talkfields_own_data_is_closed_wherever_it_lies(
    tmp_path: Path, kernel: BeneathOpen | bool | None
) -> None:
    data = make(tmp_path / "home/.local/talkfield", keys_json="no", blobs__x="no")
    (tmp_path / "home/way").symlink_to(".local")
    home = tmp_path / "home"
    with ProjectRoot(context(home, closed_folders=(str(data),)), kernel=kernel) as root:
        for path in (".local/talkfield/keys.json", "way/talkfield/keys.json", "way/talkfield/blobs/x"):
            assert "Talkfield's own data" in refusal_of(lambda path=path: content(root, path))  # type: ignore[misc]
        assert root.is_closed(".local/Talkfield/blobs")
        assert not root.is_closed(".local/talkfield-notes")
        with pytest.raises(ToolError), root.folder("way/talkfield"):
            pass
    with ProjectRoot(context(data, closed_folders=(str(data),)), kernel=kernel) as root:
        assert "Talkfield's own data" in refusal_of(lambda: content(root, "keys.json"))


@WAYS
def test_check_43_T9_a_secret_by_another_name_is_not_read(tmp_path: Path, kernel: BeneathOpen | bool | None) -> None:
    proj = make(tmp_path / "p", _env="KEY=1")
    (proj / "notes.txt").symlink_to(".env")
    with ProjectRoot(context(proj), kernel=kernel) as root:
        assert "name that file itself" in refusal_of(lambda: content(root, "notes.txt"))
        assert content(root, ".env") == b"KEY=1"


def test_T9_without_a_folder_there_is_nothing_to_open(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="no folder"):
        ProjectRoot(context(None))
    with pytest.raises(ToolError, match="cannot be opened"):
        ProjectRoot(context(tmp_path / "gone"))


# The kernel is the judge of the way that does without it --------------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "c"])
STEPS = st.lists(st.sampled_from(["a", "b", "c", "..", ".", ""]), min_size=1, max_size=5).map("/".join)
TARGETS = STEPS | st.sampled_from(["/", "/a", "..", "../..", "a/../..", "b/", "./c/."])
ENTRIES = st.dictionaries(
    st.lists(NAMES, min_size=1, max_size=3).map(tuple),
    st.none() | st.just("file") | st.tuples(st.just("link"), TARGETS),
    max_size=8,
)


def build(top: Path, entries: dict[tuple[str, ...], object]) -> None:
    for names, entry in sorted(entries.items(), key=lambda item: len(item[0])):
        path = top.joinpath(*names)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if entry is None:
                path.mkdir(exist_ok=True)
            elif entry == "file":
                path.write_text("x")
            else:
                path.symlink_to(entry[1] or ".")  # type: ignore[index]
        except OSError:
            continue


def outcome(opening: Callable[[], int]) -> object:
    try:
        descriptor = opening()
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    try:
        status = os.fstat(descriptor)
        return status.st_dev, status.st_ino
    finally:
        os.close(descriptor)


@pytest.mark.skipif(KERNEL is None, reason="this system has no openat2")
@settings(max_examples=200)
@given(ENTRIES, st.lists(STEPS, min_size=1, max_size=6))
def test_check_39_T9_name_by_name_agrees_with_the_kernel(
    entries: dict[tuple[str, ...], object], paths: list[str]
) -> None:
    assert KERNEL is not None
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder), entries)
        root = os.open(folder, READ_FOLDER)
        try:
            for path in paths:
                for flags in (READ_FILE, READ_FOLDER):
                    judged = outcome(lambda path=path, flags=flags: KERNEL(root, path, flags))  # type: ignore[misc]
                    walked = outcome(lambda path=path, flags=flags: stepwise_open(root, path, flags)[0])  # type: ignore[misc]
                    assert walked == judged, (path, flags)
        finally:
            os.close(root)


@pytest.mark.skipif(KERNEL is None, reason="this system has no openat2")
@settings(max_examples=100)
@given(ENTRIES, STEPS)
def test_T9_both_ways_tell_the_same_real_path(entries: dict[tuple[str, ...], object], path: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder), entries)
        told = []
        for kernel in (True, None):
            with ProjectRoot(context(Path(folder)), kernel=kernel) as root:
                try:
                    with root.folder(path) as opened:
                        told.append(opened.path)
                except ToolError as error:
                    told.append(error.message)
        assert told[0] == told[1]


# Races ----------------------------------------------------------------------------------------------------------------


def race(swap: Callable[[], None], attempt: Callable[[], bytes | None]) -> int:
    """Exchange and open as fast as both can; how often something was opened. It must never be what is outside."""
    over = threading.Event()

    def keep_swapping() -> None:
        while not over.is_set():
            swap()

    swapper = threading.Thread(target=keep_swapping)
    swapper.start()
    opened = 0
    try:
        end = time.monotonic() + RACE_S
        while time.monotonic() < end:
            for _ in range(50):
                data = attempt()
                assert data != b"outside"
                opened += data is not None
    finally:
        over.set()
        swapper.join()
    return opened


def attempt_of(root: ProjectRoot, path: str) -> Callable[[], bytes | None]:
    def attempt() -> bytes | None:
        try:
            return content(root, path)
        except ToolError:
            return None

    return attempt


@WAYS
def test_check_40_T9_a_file_exchanged_for_a_link_never_leads_out(
    tmp_path: Path, kernel: BeneathOpen | bool | None
) -> None:
    make(tmp_path, outside="outside")
    proj = make(tmp_path / "proj", x="inside")
    (proj / "evil").symlink_to("../outside")
    (proj / "good").write_text("inside")

    def swap() -> None:
        for name in ("evil", "good"):
            os.link(proj / name, proj / "new", follow_symlinks=False)
            os.rename(proj / "new", proj / "x")

    with ProjectRoot(context(proj), kernel=kernel) as root:
        assert race(swap, attempt_of(root, "x")) > 0


@WAYS
def test_check_40_T9_a_folder_exchanged_for_a_link_never_leads_out(
    tmp_path: Path, kernel: BeneathOpen | bool | None
) -> None:
    make(tmp_path / "elsewhere/d", x="outside")
    proj = make(tmp_path / "proj", d__x="inside", real__x="inside")
    (proj / "d").rename(proj / "kept")
    (proj / "evil").symlink_to("../elsewhere/d")

    def swap() -> None:
        os.rename(proj / "kept", proj / "d")
        os.rename(proj / "d", proj / "kept")
        os.rename(proj / "evil", proj / "d")
        os.rename(proj / "d", proj / "evil")

    with ProjectRoot(context(proj), kernel=kernel) as root:
        race(swap, attempt_of(root, "d/x"))


@WAYS
def test_check_40_T9_a_folder_moved_out_while_it_is_walked_never_leads_out(
    tmp_path: Path, kernel: BeneathOpen | bool | None
) -> None:
    """`..` in a link, while the folder it is in is moved: the classic way out of a check by names."""
    make(tmp_path, x="outside", far="outside")
    proj = make(tmp_path / "proj", "a/b/c", x="inside")
    (proj / "a/b/c/up").symlink_to("../../../x")

    def swap() -> None:
        os.rename(proj / "a/b", tmp_path / "moved")
        os.rename(tmp_path / "moved", proj / "a/b")

    with ProjectRoot(context(proj), kernel=kernel) as root:
        race(swap, attempt_of(root, "a/b/c/up"))
