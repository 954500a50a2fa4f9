"""`talkfield diff`, `talkfield merge`, and real merges by git with and without it (W11)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from builders import assistant, chat, user
from cli.terminal import Ended
from talkfield.core.messages import Message
from talkfield.core.project import NodeContent, ProjectFile, load_project
from talkfield.core.project_text import dump_file

Run = Callable[..., Ended]
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def content(node: str, *messages: Message, **fields: Any) -> NodeContent:
    return NodeContent(record=chat(node, **fields), messages=messages)


def project(*contents: NodeContent, title: str = "Plans") -> bytes:
    return dump_file(ProjectFile(title=title, nodes={each.record.id: each for each in contents}))


def turn(name: str, ts: int) -> tuple[Message, Message]:
    return replace(user(f"q{name}", f"u{name}"), ts=ts), replace(assistant(f"a{name}", f"a{name}"), ts=ts + 1)


class Repository:
    """A git repository of its own, with nobody's settings in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = path / "talkfield.json"
        path.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        settings = ("user.name=t", "user.email=t@example.org", "commit.gpgsign=false", "core.autocrlf=false")
        options = [part for setting in settings for part in ("-c", setting)]
        return subprocess.run(
            ["git", *options, *arguments],
            cwd=self.path,
            env={"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(self.path)},
            capture_output=True,
            text=True,
            check=check,
        )

    def commit(self, data: bytes) -> None:
        self.file.write_bytes(data)
        self.git("add", "-A")
        self.git("commit", "-qm", "a version")

    def branches(self, base: bytes, ours: bytes, theirs: bytes) -> None:
        """On `main` is `base` and then `ours`; on `other` `base` and then `theirs`."""
        self.commit(base)
        self.git("checkout", "-qb", "other")
        self.commit(theirs)
        self.git("checkout", "-q", "main")
        self.commit(ours)

    def use_driver(self) -> None:
        """The two lines of docs/files.md."""
        self.git("config", "merge.talkfield.driver", f"'{sys.executable}' -m talkfield merge %O %A %B %P")
        (self.path / ".gitattributes").write_text("talkfield.json merge=talkfield\n")

    def merge(self) -> subprocess.CompletedProcess[str]:
        return self.git("merge", "-q", "--no-edit", "other", check=False)

    def read(self) -> ProjectFile:
        return load_project(self.file.read_bytes())


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


LONG = [message for number in range(3) for message in turn(str(number), number)]


def test_W11_branches_that_touch_different_chats_merge_without_any_driver(repository: Repository) -> None:
    base = project(content("a", *LONG), content("b", *turn("b", 1)))
    ours = project(content("a", *LONG, x=400, y=30), content("b", *turn("b", 1)))
    theirs = project(content("a", *LONG), content("b", *turn("b", 1), *turn("b2", 5)))
    repository.branches(base, ours, theirs)
    merged = repository.merge()
    assert (merged.returncode, merged.stderr) == (0, "")
    both = project(content("a", *LONG, x=400, y=30), content("b", *turn("b", 1), *turn("b2", 5)))
    assert repository.file.read_bytes() == both


def test_W11_moving_a_chat_and_talking_in_it_merge_without_any_driver(repository: Repository) -> None:
    base = project(content("a", *LONG))
    repository.branches(base, project(content("a", *LONG, x=400)), project(content("a", *LONG, *turn("9", 9))))
    assert repository.merge().returncode == 0
    assert repository.file.read_bytes() == project(content("a", *LONG, *turn("9", 9), x=400))


def test_W11_the_driver_keeps_what_both_said_in_one_chat(repository: Repository) -> None:
    base = project(content("a", *LONG))
    ours = project(content("a", *LONG, *turn("late", 90)), content("c"))
    theirs = project(content("a", *LONG, *turn("early", 50)), content("d"))
    repository.branches(base, ours, theirs)
    assert repository.merge().returncode == 1  # without the driver, git cannot know
    repository.git("merge", "--abort")
    repository.use_driver()
    merged = repository.merge()
    assert (merged.returncode, merged.stderr) == (0, "")
    said = (*LONG, *turn("early", 50), *turn("late", 90))
    assert repository.file.read_bytes() == project(content("a", *said), content("c"), content("d"))


def test_W11_the_driver_tells_of_a_conflict_and_leaves_a_whole_file(repository: Repository) -> None:
    base = project(content("a", *LONG, title="Plans"))
    ours = project(content("a", *LONG, title="Mine"))
    theirs = project(content("a", *LONG, *turn("9", 9), title="Theirs"))
    repository.branches(base, ours, theirs)
    repository.use_driver()
    merged = repository.merge()
    assert merged.returncode == 1
    assert 'talkfield: talkfield.json: "Mine" (a): title is "Mine" in ours and "Theirs" in theirs' in merged.stderr
    assert repository.git("status", "--porcelain").stdout.startswith("UU talkfield.json")
    assert repository.file.read_bytes() == project(content("a", *LONG, *turn("9", 9), title="Mine"))


def test_W11_the_driver_unites_files_that_both_sides_began(repository: Repository) -> None:
    repository.git("commit", "-q", "--allow-empty", "-m", "empty")
    repository.git("checkout", "-qb", "other")
    repository.commit(project(content("b")))
    repository.git("checkout", "-q", "main")
    repository.commit(project(content("a")))
    repository.use_driver()
    assert repository.merge().returncode == 0
    assert repository.file.read_bytes() == project(content("a"), content("b"))


def test_X5_what_cannot_be_read_is_a_conflict_that_names_the_file(here: Run, tmp_path: Path) -> None:
    base, ours, theirs = (tmp_path / name for name in ("base", "ours", "theirs"))
    for path in (base, ours):
        path.write_bytes(project(content("a")))
    theirs.write_text("{broken")
    ended = here("merge", str(base), str(ours), str(theirs))
    assert (ended.status, ended.out) == (1, "")
    assert f"{theirs} cannot be read" in ended.err
    assert ours.read_bytes() == project(content("a"))
    missing = here("diff", str(base), str(tmp_path / "nowhere"))
    assert (missing.status, "There is no file" in missing.err) == (1, True)


def test_W11_diff_says_in_words_what_differs(here: Run, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "talkfield.json").write_bytes(project(content("a", title="Old")))
    other = tmp_path / "other.json"
    other.write_bytes(project(content("a", user(), title="New", x=5)))
    ended = here("diff", str(folder), str(other))
    lines = ['chat "New" (a):', '  renamed from "Old"', "  moved from (0, 0) to (5, 0)", '  added user message "hi"']
    assert (ended.status, ended.out.splitlines(), ended.err) == (0, lines, "")
    assert here("diff", str(other), str(other)).out == ""
