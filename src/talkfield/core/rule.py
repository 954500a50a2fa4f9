"""Remembered decisions about tool calls (T7): what a rule is, which calls it is about, and what it decides.

Pure. A rule that denies wins over one that allows, whichever is older or narrower. An allowing rule is exact: a path
that would have to be interpreted first, or a command that a shell could read as more than one, is not covered by it.
A denying one is generous in the same cases.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, assert_never

import msgspec

from talkfield.core.command_pattern import RUNS_ANYTHING, CommandPattern, has_shell_signs, program_of
from talkfield.core.folding import folded
from talkfield.core.ids import NodeId, RuleId
from talkfield.core.path_pattern import PathPattern
from talkfield.core.visible import visible_line

RuleAction = Literal["allow", "deny"]

RuleKind = Literal["path", "command", "exact", "any"]
"""What a pattern means: a path with `*` and `**`, the words of a command, exactly these arguments, or every call."""

MAX_PATTERN_CHARS = 4000

BEHIND_A_WORD = frozenset(
    {
        *("git", "npm", "pnpm", "yarn", "uv", "cargo", "go", "docker", "podman", "kubectl", "make", "just", "dotnet"),
        *("pip", "poetry", "hatch", "brew", "apt", "gh", "systemctl", "terraform", "composer", "bundle", "rake", "mix"),
    }
)
"""Programs whose first argument says what they do."""


RUNS_WHAT_FOLLOWS = frozenset({"run", "exec", "x", "dlx", "shell", "tool", "config", "compose"})
"""Second words that alone do not say it yet."""


class Rule(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One decision for calls to come. `argument` is the name of the argument that the pattern is about.

    `node_id` None: for the whole project, else for one chat. `created_at` is epoch milliseconds.
    """

    id: RuleId
    action: RuleAction
    tool: str
    kind: RuleKind
    pattern: str = ""
    argument: str = ""
    node_id: NodeId | None = None
    created_at: int = 0


class RuleOffer(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What may be remembered of a call: `words` say it to people."""

    kind: RuleKind
    pattern: str
    words: str


def checked(rule: Rule) -> Rule:
    """The rule itself. Raises `ValueError` with what is wrong about its pattern."""
    if not rule.tool or len(rule.tool) > 200:
        raise ValueError("a rule names a tool")
    if len(rule.pattern) > MAX_PATTERN_CHARS:
        raise ValueError(f"a pattern has at most {MAX_PATTERN_CHARS} characters")
    match rule.kind:
        case "path":
            if ".." in rule.pattern.split("/") or rule.pattern.startswith("/"):
                raise ValueError("a path pattern begins at the project's folder and holds no '..'")
            PathPattern(rule.pattern)
        case "command":
            CommandPattern.parse(rule.pattern)
        case "exact":
            if canonical_text(rule.pattern) != rule.pattern:
                raise ValueError("the arguments are no JSON object in its one canonical form")
        case "any":
            if rule.pattern:
                raise ValueError("a rule for every call has no pattern")
        case _ as never:
            assert_never(never)
    return rule


def deciding(rules: Iterable[Rule], tool: str, arguments: Mapping[str, Any]) -> Rule | None:
    """The rule that decides a call: one that denies before one that allows; None: no rule does."""
    allowing: Rule | None = None
    for rule in rules:
        if rule.tool != tool:
            continue
        if rule.action == "deny":
            if covers(rule, tool, arguments):
                return rule
        elif allowing is None and covers(rule, tool, arguments):
            allowing = rule
    return allowing


def covers(rule: Rule, tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether the rule is about this call. One that makes no sense is about none, unless it denies: then about all."""
    if rule.tool != tool:
        return False
    try:
        checked(rule)
        return _COVERS[rule.kind](rule, arguments)
    except ValueError:
        return rule.action == "deny"


def _covers_path(rule: Rule, arguments: Mapping[str, Any]) -> bool:
    path = arguments.get(rule.argument, ".")
    if not isinstance(path, str):
        return False
    names = [name for name in path.split("/") if name not in ("", ".")]
    if rule.action == "deny":
        return denies_path([rule.pattern], "/".join(names) or ".")
    if path.startswith("/") or ".." in names or "\0" in path:
        return False
    return allows_path(rule.pattern, "/".join(names) or ".")


def allows_path(pattern: str, path: str) -> bool:
    """Whether a path without links, `.` and `..` fits, to the letter."""
    return PathPattern(pattern).matches(path)


def denies_path(patterns: Sequence[str], path: str) -> bool:
    """Whether a path fits one of the patterns, as the most forgiving file system compares names."""
    plain = "/".join(folded(name) for name in path.split("/"))
    return any(
        PathPattern(pattern).matches(path) or PathPattern(_folded(pattern)).matches(plain) for pattern in patterns
    )


def _folded(pattern: str) -> str:
    return "/".join(folded(name) if name.strip("*?") else name for name in pattern.split("/"))


def _covers_command(rule: Rule, arguments: Mapping[str, Any]) -> bool:
    command = arguments.get(rule.argument)
    if not isinstance(command, list) or not command or not all(isinstance(word, str) for word in command):
        return False
    pattern = CommandPattern.parse(rule.pattern)
    return pattern.denies(command) if rule.action == "deny" else pattern.allows(command)


def _covers_exact(rule: Rule, arguments: Mapping[str, Any]) -> bool:
    return canonical(arguments) == rule.pattern


def _covers_any(_rule: Rule, _arguments: Mapping[str, Any]) -> bool:
    return True


_COVERS: dict[RuleKind, Callable[[Rule, Mapping[str, Any]], bool]] = {
    "path": _covers_path,
    "command": _covers_command,
    "exact": _covers_exact,
    "any": _covers_any,
}


def canonical(arguments: Mapping[str, Any]) -> str:
    """Arguments as one text: the same arguments in another order are the same text."""
    return json.dumps(arguments, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def canonical_text(text: str) -> str | None:
    """The canonical form of arguments that someone wrote as JSON; None: they are no JSON object."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return canonical(value) if isinstance(value, dict) else None


# Words for people -------------------------------------------------------------------------------------------------


def words_of(rule: Rule) -> str:
    """The rule as a sentence, in visible text alone: what it decides from now on, and where."""
    where = "in this project" if rule.node_id is None else "in this chat"
    tool = visible_line(rule.tool)
    if rule.action == "allow":
        return f"Let {tool} run without asking {where}: {_what(rule)}."
    return f"Never let {tool} run {where}: {_what(rule)}."


def _what(rule: Rule) -> str:
    pattern = visible_line(rule.pattern)
    match rule.kind:
        case "path":
            return "every file of the project" if rule.pattern == "**" else f"files that fit {pattern}"
        case "command":
            return (
                f"{pattern.removesuffix(' *')}, whatever words follow"
                if pattern.endswith(" *")
                else f"exactly the command {pattern}"
            )
        case "exact":
            return "exactly these arguments"
        case "any":
            return "every call"
        case _ as never:
            assert_never(never)


# What a card offers to remember ---------------------------------------------------------------------------------------


def offers_for(
    tool: str, kind: Literal["path", "command"] | None, argument: str, arguments: Mapping[str, Any]
) -> tuple[RuleOffer, ...]:
    """What may be remembered of this call, the narrowest first; each would have matched it."""
    match kind:
        case "path":
            offers = _path_offers(arguments.get(argument, "."))
        case "command":
            offers = _command_offers(arguments.get(argument))
        case None:
            offers = [RuleOffer(kind="any", pattern="", words=f"every call of {visible_line(tool)}")]
            exact = canonical(arguments)
            if len(exact) <= MAX_PATTERN_CHARS:
                offers.insert(0, RuleOffer(kind="exact", pattern=exact, words="exactly these arguments"))
        case _ as never:
            assert_never(never)
    rules = (
        (
            Rule(id=RuleId(""), action="allow", tool=tool, kind=offer.kind, pattern=offer.pattern, argument=argument),
            offer,
        )
        for offer in offers
    )
    return tuple(offer for rule, offer in rules if covers(rule, tool, arguments))


def _path_offers(path: object) -> list[RuleOffer]:
    if not isinstance(path, str):
        return []
    names = [name for name in path.split("/") if name not in ("", ".")]
    whole = "/".join(names)
    patterns: list[str] = []
    if names and not set("*?[]{}") & set(whole):
        patterns.append(whole)
        patterns += [f"{folder}/**" for folder in ("/".join(names[:-1]),) if folder]
        stem, dot, ending = names[-1].rpartition(".")
        if stem and dot and ending:
            patterns.append(f"**/*.{ending}")
    words = [visible_line(pattern) for pattern in patterns]
    return [
        *(RuleOffer(kind="path", pattern=pattern, words=shown) for pattern, shown in zip(patterns, words, strict=True)),
        RuleOffer(kind="path", pattern="**", words="every file of the project"),
    ]


def _command_offers(command: object) -> list[RuleOffer]:
    if not isinstance(command, list) or not command or not all(isinstance(word, str) for word in command):
        return []
    offers = [CommandPattern(tuple(command), more=False)]
    first = _telling_words(command)
    if first and not has_shell_signs(command):
        offers.append(CommandPattern(first, more=True))
    return [RuleOffer(kind="command", pattern=str(offer), words=visible_line(str(offer))) for offer in offers]


def _telling_words(command: Sequence[str]) -> tuple[str, ...]:
    """The first words of a command that say what it does; none where it takes all of them to know."""
    program = program_of(command)
    count = 1
    if program in BEHIND_A_WORD:
        count = 3 if command[1:2] and command[1] in RUNS_WHAT_FOLLOWS else 2
    elif program in RUNS_ANYTHING:
        return ()
    words = tuple(command[:count])
    plain = all(word[:1].isalnum() and word.replace("-", "").replace(":", "").isalnum() for word in words[1:])
    return words if len(words) == count and plain else ()
