"""Patterns for commands as rules hold them (T7): words from the first on, and at the end `*` for whatever follows.

Pure. A command is a list of words that no shell reads, and so is a pattern: it is parsed as words, and what a shell
would make more of (`;`, `&&`, `|`, `>`, `$(…)`, a line break) can neither stand in one nor be hidden behind its `*`.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

SHELL_SIGNS = (";", "&", "|", "<", ">", "`", "$(", "${", "\n", "\r", "\0")
"""What makes one command several, in the hands of a shell or of a program that starts one."""

RUNS_ANYTHING = frozenset(
    {
        *("sh", "bash", "dash", "zsh", "fish", "ksh", "csh", "tcsh", "pwsh", "powershell", "cmd", "cmd.exe", "eval"),
        *("python", "python3", "py", "pypy", "pypy3", "node", "deno", "bun", "ruby", "perl", "php", "lua", "Rscript"),
        *(
            "env",
            "xargs",
            "parallel",
            "nohup",
            "nice",
            "time",
            "timeout",
            "watch",
            "setsid",
            "stdbuf",
            "script",
            "exec",
        ),
        *("sudo", "su", "doas", "pkexec", "run0", "ssh", "docker", "podman", "kubectl", "find", "awk", "gawk", "sed"),
        *("npx", "pnpx", "bunx", "uvx", "pipx", "uv", "npm", "pnpm", "yarn", "make", "just", "tmux", "screen", "git"),
        *("java", "go", "cargo", "dotnet", "gdb", "strace", "ltrace", "vim", "vi", "emacs", "ed", "expect", "busybox"),
    }
)
"""Programs that run whatever their arguments say: a rule has to name more than them."""


@dataclass(frozen=True)
class CommandPattern:
    """`words` are the first words of a command; `more`: others may follow."""

    words: tuple[str, ...]
    more: bool

    @classmethod
    def parse(cls, text: str) -> CommandPattern:
        """The pattern a person wrote, such as `git status *`. Raises `ValueError` with what is wrong."""
        stripped = text.strip()
        more = stripped == "*" or stripped.endswith(" *")
        try:
            words = tuple(shlex.split(stripped[:-1] if more else stripped))
        except ValueError as error:
            raise ValueError(f"the pattern cannot be read as words: {error}") from None
        if not words:
            raise ValueError("the pattern has to name a program")
        if more and has_shell_signs(words):
            raise ValueError("a rule is about one command: no shell reads it, so ; & | < > ` $( mean nothing in it")
        if not more and has_shell_signs(words) and shlex.join(words) != stripped:
            raise ValueError("words with ; & | < > ` $( have to be quoted, as a rule shows them")
        if more and len(words) == 1 and program_of(words) in RUNS_ANYTHING:
            raise ValueError(f"{words[0]} can run anything: name what it may do, too, such as '{words[0]} … *'")
        return cls(words, more)

    def allows(self, command: Sequence[str]) -> bool:
        """Whether the command is one that was meant: what follows the words may not make it another."""
        if not self.more:
            return tuple(command) == self.words
        head, tail = tuple(command[: len(self.words)]), command[len(self.words) :]
        return head == self.words and not has_shell_signs(tail)

    def denies(self, command: Sequence[str]) -> bool:
        """Whether the command is one that was meant, by any path to its program."""
        head = command[: len(self.words)] if self.more else command
        return len(head) == len(self.words) and [program_of(head), *head[1:]] == [
            program_of(self.words),
            *self.words[1:],
        ]

    def __str__(self) -> str:
        return shlex.join(self.words) + (" *" if self.more else "")


def program_of(words: Sequence[str]) -> str:
    return words[0].rpartition("/")[2]


def has_shell_signs(words: Sequence[str]) -> bool:
    return any(sign in word for word in words for sign in SHELL_SIGNS)
