"""Remembered decisions: what a rule covers, what it must not, and what a card offers."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from talkfield.core.command_pattern import SHELL_SIGNS, CommandPattern
from talkfield.core.ids import NodeId, RuleId
from talkfield.core.rule import Rule, canonical, checked, covers, deciding, offers_for, words_of


def rule(pattern: str = "", *, kind: Any = "path", action: Any = "allow", tool: str = "write_file") -> Rule:
    argument = {"path": "path", "command": "command"}.get(kind, "")
    return Rule(
        id=RuleId(f"{action}-{pattern}"), action=action, tool=tool, kind=kind, pattern=pattern, argument=argument
    )


def command(pattern: str, action: Any = "allow") -> Rule:
    return rule(pattern, kind="command", action=action, tool="run_command")


def allows(pattern: str, *words: str) -> bool:
    return covers(command(pattern), "run_command", {"command": list(words)})


@pytest.mark.parametrize("path", ["src/a.py", "./src//a.py", "src/deep/er/b"])
def test_T7_a_path_rule_covers_what_lies_under_it(path: str) -> None:
    assert covers(rule("src/**"), "write_file", {"path": path})


@pytest.mark.parametrize(
    "path", ["src-evil/a", "a/src/b", "/src/a", "src/../b", "../src/a", "SRC/a", "src\0/a", "srс/a", 7, None]
)
def test_T7_an_allowing_path_rule_covers_nothing_that_only_looks_like_it(path: Any) -> None:
    assert not covers(rule("src/**"), "write_file", {"path": path})
    assert not covers(rule("src/**"), "edit_file", {"path": "src/a"})


@pytest.mark.parametrize(
    "path", ["secret/a", "Secret/A", "./secret//a", "s\u200becret/a", "secret./a", "ＳＥＣＲＥＴ/a"]
)
def test_T7_a_denying_path_rule_covers_every_way_to_write_it(path: str) -> None:
    assert covers(rule("secret/**", action="deny"), "write_file", {"path": path})


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("git status *", ["git", "status"]),
        ("git status *", ["git", "status", "--short", "a b"]),
        ("git status", ["git", "status"]),
        ("pytest *", ["pytest", "-q"]),
        ("grep 'a|b' x", ["grep", "a|b", "x"]),
        ("ls '*'", ["ls", "*"]),
    ],
)
def test_T7_a_command_rule_covers_its_words_and_what_follows(pattern: str, words: list[str]) -> None:
    assert allows(pattern, *words)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("git status *", ["git", "push"]),
        ("git status *", ["git"]),
        ("git status *", ["git", "status-evil"]),
        ("git status *", ["git status", "x"]),
        ("git status *", ["/tmp/git", "status"]),
        ("git status", ["git", "status", "--short"]),
        ("git status *", ["git", "status", "; rm -rf /"]),
        ("git status *", ["git", "status", "&&", "rm"]),
        ("git status *", ["git", "status", "|", "sh"]),
        ("git status *", ["git", "status", "x|sh"]),
        ("git status *", ["git", "status", "$(rm)"]),
        ("git status *", ["git", "status", "`rm`"]),
        ("git status *", ["git", "status", ">", "/etc/passwd"]),
        ("git status *", ["git", "status", "a\nrm"]),
        ("git status *", ["git", "status", "${x}"]),
        ("ls '*'", ["ls", "anything"]),
    ],
)
def test_T7_a_command_rule_covers_no_other_command(pattern: str, words: list[str]) -> None:
    assert not allows(pattern, *words)


@pytest.mark.parametrize(
    "pattern",
    [
        *("", "*", " * ", "git status; rm *", "git status && rm *", "git | sh *", "a > b *", "$(x) *", "`x` *"),
        *("sh *", "bash *", "/bin/sh *", "python *", "sudo *", "env *", "git *", "npx *", "xargs *", "'unclosed"),
        *("git status; rm", "a && b", "a|b"),
    ],
)
def test_T7_a_command_rule_that_could_be_anything_cannot_be_made(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        checked(command(pattern))


WORDS = st.lists(st.text("ab;&|<>`$(){ \n'\"*-/.", max_size=5), min_size=1, max_size=5)


@given(WORDS, WORDS)
def test_T7_no_command_hides_behind_another(pattern_words: list[str], words: list[str]) -> None:
    """Whatever an open pattern covers has its words first, and nothing in the rest that a shell would act on."""
    try:
        pattern = CommandPattern.parse(shlex.join(pattern_words) + " *")
    except ValueError:
        return
    if pattern.allows(words):
        assert words[: len(pattern_words)] == pattern_words
        rest = words[len(pattern_words) :]
        assert not any(sign in word for word in rest for sign in SHELL_SIGNS)


@given(WORDS)
def test_T7_an_exact_command_covers_itself_alone(words: list[str]) -> None:
    pattern = str(CommandPattern(tuple(words), more=False))
    try:
        parsed = CommandPattern.parse(pattern)
    except ValueError:
        return
    assert parsed.allows(words) or parsed.more
    assert not parsed.allows([*words, "x"]) or parsed.more


@pytest.mark.parametrize("words", [["rm", "x"], ["/bin/rm", "x"], ["rm", "-rf", ";"]])
def test_T7_a_denying_command_rule_covers_every_path_to_its_program(words: list[str]) -> None:
    assert covers(command("rm *", "deny"), "run_command", {"command": words})


def test_T7_deny_wins_whatever_the_order() -> None:
    allow, deny = rule("**"), rule("src/**", action="deny")
    for rules in ([allow, deny], [deny, allow]):
        assert deciding(rules, "write_file", {"path": "src/a"}) == deny
        assert deciding(rules, "write_file", {"path": "docs/a"}) == allow
    assert deciding([allow], "edit_file", {"path": "a"}) is None


def test_T7_a_rule_that_makes_no_sense_allows_nothing_and_denies_all() -> None:
    broken: dict[str, Any] = {"path": "a", "command": ["a"]}
    assert not covers(rule("{a,b}" * 9), "write_file", broken)
    assert covers(rule("{a,b}" * 9, action="deny"), "write_file", broken)


def test_T7_exact_arguments_in_any_order_and_no_others() -> None:
    exact = rule(canonical({"b": 1, "a": "ü"}), kind="exact", tool="remote")
    assert covers(exact, "remote", {"a": "ü", "b": 1})
    assert not covers(exact, "remote", {"a": "ü"})
    assert not covers(exact, "remote", {"a": "ü", "b": 1, "c": None})
    with pytest.raises(ValueError, match="canonical form"):
        checked(rule('{"a" : 1}', kind="exact"))
    with pytest.raises(ValueError, match="no pattern"):
        checked(rule("x", kind="any"))
    with pytest.raises(ValueError, match="begins at"):
        checked(rule("../**"))


def test_T7_a_card_offers_the_narrowest_first_and_only_what_fits() -> None:
    def patterns(*arguments: Any) -> list[tuple[str, str]]:
        return [(offer.kind, offer.pattern) for offer in offers_for(*arguments)]

    assert patterns("write_file", "path", "path", {"path": "./src/a.py"}) == [
        ("path", "src/a.py"),
        ("path", "src/**"),
        ("path", "**/*.py"),
        ("path", "**"),
    ]
    assert patterns("write_file", "path", "path", {"path": "a[1]"}) == [("path", "**")]
    assert patterns("write_file", "path", "path", {"path": "../x"}) == []
    git = {"command": ["git", "status", "-s"]}
    assert patterns("run_command", "command", "command", git) == [
        ("command", "git status -s"),
        ("command", "git status *"),
    ]
    for words, offered in (
        (["npm", "run", "build", "x"], ["npm run build x", "npm run build *"]),
        (["npm", "run"], ["npm run"]),
        (["pytest", "-q"], ["pytest -q", "pytest *"]),
        (["python", "x.py"], ["python x.py"]),
        (["git", "-c", "x"], ["git -c x"]),
        (["echo", "a; b"], ["echo 'a; b'"]),
        (["ls", "*"], ["ls '*'", "ls *"]),
    ):
        assert [pattern for _, pattern in patterns("run_command", "command", "command", {"command": words})] == offered
    assert patterns("remote", None, "", {"b": 1, "a": 2}) == [("exact", '{"a":2,"b":1}'), ("any", "")]
    assert patterns("remote", None, "", {"a": "x" * 5000}) == [("any", "")]


@given(st.lists(st.text("ab ;*.-/'\"", max_size=6), min_size=1, max_size=4))
def test_T7_every_offer_would_have_matched_its_call(words: list[str]) -> None:
    arguments = {"command": words, "path": words[0]}
    for name, kind in (("run_command", "command"), ("write_file", "path"), ("other", None)):
        for offer in offers_for(name, kind, kind or "", arguments):  # type: ignore[arg-type]
            made = Rule(
                id=RuleId("r"),
                action="allow",
                tool=name,
                kind=offer.kind,
                pattern=offer.pattern,
                argument=kind or "",
                node_id=NodeId("n"),
            )
            assert covers(checked(made), name, arguments)


@pytest.mark.parametrize(
    ("described", "words"),
    [
        (rule("lib/**"), "Let write_file run without asking in this project: files that fit lib/**."),
        (rule("**"), "Let write_file run without asking in this project: every file of the project."),
        (
            command("git status *"),
            "Let run_command run without asking in this project: git status, whatever words follow.",
        ),
        (
            command("git '*'", action="deny"),
            "Never let run_command run in this project: exactly the command git '*'.",
        ),
        (
            replace(rule('{"a":1}', kind="exact", tool="x__\u202ey"), node_id=NodeId("n")),
            "Let x__⟨U+202E⟩y run without asking in this chat: exactly these arguments.",
        ),
        (
            replace(rule(kind="any", action="deny", tool="x__y"), node_id=NodeId("n")),
            "Never let x__y run in this chat: every call.",
        ),
    ],
)
def test_T7_a_rule_says_in_words_what_it_decides_and_where(described: Rule, words: str) -> None:
    assert words_of(described) == words
