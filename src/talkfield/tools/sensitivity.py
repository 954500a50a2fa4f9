"""What of a project is not for a tool to read or write like everything else (docs/tools.md has this table in words).

Names are compared as people and file systems may mean them: without regard to case, to characters that cannot be seen,
and to different ways to write one letter. Pure: it judges names; `confinement.py` asks for the names files really have.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from talkfield.core.concern import Concern
from talkfield.core.folding import folded
from talkfield.core.path_pattern import PathPattern

SECRETS = (
    *("**/.env", "**/.env.*", "**/.envrc", "**/*.pem", "**/*.key", "**/*.p12", "**/*.pfx", "**/*.jks", "**/*.keystore"),
    *(
        "**/id_rsa*",
        "**/id_dsa*",
        "**/id_ecdsa*",
        "**/id_ed25519*",
        "**/.netrc",
        "**/_netrc",
        "**/.pgpass",
        "**/.my.cnf",
    ),
    *("**/.npmrc", "**/.yarnrc.yml", "**/.pypirc", "**/.git-credentials", "**/.htpasswd", "**/.vault-token"),
    *("**/.ssh/**", "**/.gnupg/**", "**/.aws/**", "**/.azure/**", "**/.kube/**", "**/.config/gcloud/**"),
    *("**/.docker/config.json", "**/.cargo/credentials*", "**/.gem/credentials", "**/.config/gh/**"),
    *("**/credentials.json", "**/secrets.{json,yaml,yml,toml}", "**/service-account*.json", "**/*.tfstate"),
    *("**/.{bash,zsh,python,node_repl,psql,sqlite,mysql}_history", "**/.local/share/keyrings/**"),
)
"""Files that usually hold keys: reading one sends it to the provider."""

HARMLESS = ("**/.env.{example,sample,template,dist,defaults}", "**/*.pub", "**/id_*.pub")
"""What looks like a secret and is meant to be shared."""

OWN_RULES = ("**/.git", "**/.git/**", "**/.hg/**", "**/.svn/**", "**/.jj/**")
"""What a version control system keeps for itself: hooks run, and settings name programs that run."""

RUNS_BY_ITSELF = (
    *("**/.bashrc", "**/.bash_profile", "**/.bash_login", "**/.bash_logout", "**/.bash_aliases", "**/.profile"),
    *("**/.zshrc", "**/.zshenv", "**/.zprofile", "**/.zlogin", "**/.config/fish/**", "**/.tcshrc", "**/.cshrc"),
    *("**/.inputrc", "**/.vimrc", "**/.config/nvim/**", "**/.gitconfig", "**/.gitattributes", "**/.gitmodules"),
    *("**/.config/autostart/**", "**/.config/systemd/**", "**/Library/LaunchAgents/**", "**/crontab"),
    *("**/.github/workflows/**", "**/.gitlab-ci.yml", "**/.circleci/**", "**/Jenkinsfile", "**/azure-pipelines.yml"),
    *("**/.pre-commit-config.yaml", "**/.husky/**", "**/.lefthook.{yml,yaml}", "**/lefthook.{yml,yaml}"),
    *("**/.direnv/**", "**/.devcontainer/**", "**/sitecustomize.py", "**/usercustomize.py", "**/*.pth"),
)
"""What runs without being asked: when a shell, an editor or a service starts, or at the next push."""

INSTRUCTS_PROGRAMS = (
    *("**/.mcp.json", "**/.vscode/**", "**/.idea/**", "**/.zed/**", "**/.cursor/**", "**/.claude/**", "**/.gemini/**"),
    *("**/.continue/**", "**/.aider*", "**/.windsurf/**", "**/.codex/**", "**/.opencode/**", "talkfield.json"),
)
"""Settings that tell editors, assistants or Talkfield itself what to start and what to allow."""


def reading_of(path: str) -> str | None:
    """Why reading this path is more than reading; None: it is not."""
    return "which usually holds secrets" if _fits(path, "SECRETS") and not _fits(path, "HARMLESS") else None


def writing_of(path: str) -> Concern | None:
    """Why writing this path is more than writing; None: it is not."""
    if _fits(path, "OWN_RULES"):
        return Concern(
            why=f"{path}: what a version control system keeps for itself is changed by its own commands alone",
            refused=True,
        )
    if _fits(path, "RUNS_BY_ITSELF"):
        return Concern(why="This file can run commands without anyone asking it to.")
    if _fits(path, "INSTRUCTS_PROGRAMS"):
        return Concern(why="This file tells other programs what to start or to allow.")
    if reading_of(path) is not None:
        return Concern(why="This file usually holds secrets.")
    return None


TABLES: dict[str, tuple[str, ...]] = {
    "SECRETS": SECRETS,
    "HARMLESS": HARMLESS,
    "OWN_RULES": OWN_RULES,
    "RUNS_BY_ITSELF": RUNS_BY_ITSELF,
    "INSTRUCTS_PROGRAMS": INSTRUCTS_PROGRAMS,
}


def _fits(path: str, table: str) -> bool:
    plain = "/".join(folded(name) for name in path.split("/") if name not in ("", "."))
    return any(pattern.matches(plain) for pattern in _patterns(table))


@functools.cache
def _patterns(table: str) -> tuple[PathPattern, ...]:
    return tuple(PathPattern(pattern.casefold()) for pattern in TABLES[table])


# Commands -------------------------------------------------------------------------------------------------------------

SHELLS = frozenset({"sh", "bash", "dash", "zsh", "fish", "ksh", "csh", "tcsh", "pwsh", "powershell", "cmd", "cmd.exe"})
OTHER_USER = frozenset({"sudo", "su", "doas", "pkexec", "run0"})
DESTRUCTIVE = frozenset({"dd", "shred", "wipefs", "fdisk", "parted", "shutdown", "reboot", "poweroff", "halt"})
CONNECTS = frozenset({"curl", "wget", "nc", "ncat", "netcat", "socat", "ssh", "scp", "sftp", "rsync", "ftp", "telnet"})


def concern_of_command(words: Sequence[str]) -> Concern | None:
    """Why this command is more than most; None: it is a command like others, which are asked about anyway."""
    if not words:
        return None
    program = words[0].rpartition("/")[2].casefold()
    if program in OTHER_USER:
        return Concern(why="This runs as another user.")
    if program in DESTRUCTIVE or program.startswith("mkfs"):
        return Concern(why="This program can destroy data for good.")
    if program == "rm" and any(_is_flag(word, "r", "recursive") or _is_flag(word, "R", "") for word in words[1:]):
        return Concern(why="This deletes whole folders for good.")
    if program in SHELLS:
        return Concern(why="This hands a line to a shell, which may do anything: read all of it.")
    if program in CONNECTS:
        return Concern(why="This program talks to other machines.")
    return _concern_of_git(program, words) or _concern_of_words(words)


def _concern_of_git(program: str, words: Sequence[str]) -> Concern | None:
    if program != "git":
        return None
    if any(word == "-c" or word.startswith(("--config-env", "--exec-path=", "-c")) for word in words[1:]):
        return Concern(why="This changes git's settings for one command, which can make it run others.")
    if "push" in words and any(_is_flag(word, "f", "force") or word.startswith(("--force", "+")) for word in words):
        return Concern(why="This overwrites what others may have pushed.")
    return None


def _concern_of_words(words: Sequence[str]) -> Concern | None:
    for word in words[1:]:
        path = word.rpartition("=")[2]
        if path.strip("/") and reading_of(path.strip("/")) is not None:
            return Concern(why=f"{path} usually holds secrets.")
    return None


def _is_flag(word: str, letter: str, name: str) -> bool:
    if word.startswith("--"):
        return bool(name) and word == f"--{name}"
    return word.startswith("-") and letter in word[1:]
