"""`talkfield doctor`: what is configured, found and missing on this machine. Changes nothing and shows no key."""

from __future__ import annotations

import asyncio
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from talkfield import __version__
from talkfield.cli import FAILED
from talkfield.core.records import ProviderRecord
from talkfield.errors import ProjectLocked, TalkfieldError
from talkfield.library import library_runtime
from talkfield.server.config import STATIC_FOLDER
from talkfield.server.static_files import is_built
from talkfield.storage.folder import DataFolder
from talkfield.storage.keyring_access import KEYRING_VARIABLE, system_keyring

ASKING_LIMIT_S = 8.0
LOOKING_S = 1.5
"""How long servers on this machine are looked for."""

State = Literal["good", "note", "broken"]

MARKS: dict[State, tuple[str, str]] = {"good": ("ok", "green"), "note": ("--", "yellow"), "broken": ("!!", "red")}


@dataclass(frozen=True)
class Finding:
    """One line of the report. `broken`: Talkfield does not work until it is repaired."""

    state: State
    subject: str
    words: str


async def examine(environment: Mapping[str, str]) -> int:
    """Look, report, and return the exit status: 0 unless something essential is broken."""
    findings = await asyncio.to_thread(look_at_machine, environment)
    findings += await look_at_providers(environment)
    await asyncio.to_thread(report, findings)
    return FAILED if any(finding.state == "broken" for finding in findings) else 0


def look_at_machine(environment: Mapping[str, str]) -> list[Finding]:
    """Everything but the providers. Blocks."""
    return [
        Finding("good", "Talkfield", f"{__version__} on Python {platform.python_version()}, {sys.platform}"),
        *look_at_data(DataFolder.locate(environment)),
        look_at_ui(),
        look_at_keyring(environment),
    ]


def look_at_data(data: DataFolder) -> list[Finding]:
    if not data.path.exists():
        return [Finding("good", "data folder", f"{data.path} (is made at the first start)")]
    try:
        data.create()
    except TalkfieldError as error:
        return [Finding("broken", "data folder", f"{error.message} {error.hint}")]
    findings = [Finding("good", "data folder", str(data.path))]
    try:
        with data.lock():
            findings.append(Finding("good", "running", "no"))
    except ProjectLocked as error:
        findings.append(Finding("good", "running", error.message))
    except TalkfieldError as error:
        findings.append(Finding("broken", "running", f"{error.message} {error.hint}"))
    return findings


def look_at_ui() -> Finding:
    if is_built(STATIC_FOLDER):
        return Finding("good", "web UI", "is built")
    return Finding("note", "web UI", "is not built: run `make ui` in the checkout")


def look_at_keyring(environment: Mapping[str, str]) -> Finding:
    in_file = "keys are kept in a file that only you can read"
    if environment.get(KEYRING_VARIABLE, "").strip() == "0":
        return Finding("good", "keyring", f"turned off: {in_file}")
    try:
        keyring = system_keyring()
    except Exception as error:  # a keyring may fail in any way of its own
        return Finding("note", "keyring", f"does not work ({type(error).__name__}): {in_file}")
    if keyring is None:
        return Finding("note", "keyring", f"there is none: {in_file}")
    return Finding("good", "keyring", f"{type(keyring).__module__}.{type(keyring).__name__}")


async def look_at_providers(environment: Mapping[str, str]) -> list[Finding]:
    """Every provider there is, each asked for its models."""
    try:
        async with library_runtime(environment, lambda _node, _events: None) as library:
            await asyncio.sleep(LOOKING_S)
            known = [record.provider for record in library.directory.records()]
            asking = [asyncio.create_task(library.directory.refresh(provider)) for provider in known]
            if asking:
                _, late = await asyncio.wait(asking, timeout=ASKING_LIMIT_S)
                for task in late:
                    task.cancel()
                await asyncio.gather(*asking, return_exceptions=True)
            findings = [about_provider(record) for record in library.directory.records()]
            usable = library.directory.resolve(None)
    except TalkfieldError as error:
        return [Finding("broken", "settings", f"{error.message} {error.hint}")]
    if usable is None:
        findings.append(Finding("note", "providers", "none can answer yet: add one in Settings"))
    return findings


def about_provider(record: ProviderRecord) -> Finding:
    known = {
        "ready": "answers",
        "idle": "starts when it is first used",
        "starting": "is starting",
        "missing": "has to be installed",
        "failed": "does not answer",
        "unknown": "has not been asked",
    }
    words = [known[record.status], f"from {record.origin}"]
    if record.models:
        words.append(f"{len(record.models)} models" if len(record.models) > 1 else "1 model")
    if record.model:
        words.append(f"asks {record.model}")
    if record.key_hint:
        words.append(f"key ends in {record.key_hint}")
    line = ", ".join(words) + (f". {record.message}" if record.message else "")
    return Finding("good" if record.status in ("ready", "idle", "starting") else "note", record.name, line)


def report(findings: list[Finding]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, markup=False, soft_wrap=True)
    width = max(len(finding.subject) for finding in findings)
    for finding in findings:
        mark, style = MARKS[finding.state]
        console.print(Text.assemble((mark, style), f" {finding.subject:<{width}}  {' '.join(finding.words.split())}"))
