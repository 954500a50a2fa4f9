"""The examples of docs/library.md do what the page says (Z4). Each is run as a program of its own, as a reader would.

The scripted provider answers them, from rules that stand here: examples that ask a model must not need one.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "library.md"
SECTION = re.compile(r"^## (.+?)$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)

RULES: list[dict[str, Any]] = [
    {"when": "sky", "steps": [{"text": "Air scatters "}, {"text": "blue light most."}]},
    {"when": "cannot fly", "steps": [{"text": "A penguin."}]},
    {"when": "bird", "steps": [{"text": "A robin."}]},
    {"when": "weather", "round": 0, "steps": [{"call": "weather", "args": {"city": "Bern"}}]},
    {"when": "weather", "round": 1, "steps": [{"text": "It rains."}]},
]

PRINTED = {
    "Ten lines": "Air scatters blue light most.\n end_turn \n",
    "A conversation that goes on": "A robin.\nA penguin.\n4 messages, n/a\n",
    "A tool, and who decides": 'asked for weather {"city": "Bern"}\nit said: 12 degrees and rain in Bern\n',
    "A driver of your own": "['CAN ', 'YOU ', 'HEAR ', 'ME ']\n[]\nend_turn\n",
    "The pure parts": ("n/a or 0.0055649\n510 kept, 9490 dropped\n(Configure(model='house-model-2', system=None),)\n"),
}


def examples() -> dict[str, str]:
    """The page's examples by their heading."""
    return {heading: code for heading, body in SECTION.findall(PAGE.read_text()) for code in CODE.findall(body)}


def test_Z4_every_example_of_the_page_is_run() -> None:
    assert examples().keys() == PRINTED.keys()
    assert len(CODE.findall(PAGE.read_text())) == len(PRINTED)


@pytest.mark.parametrize("heading", list(PRINTED))
def test_Z4_an_example_does_what_the_page_says(heading: str, tmp_path: Path) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps({"rules": RULES}))
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("TALKFIELD_")},
        "TALKFIELD_HOME": str(tmp_path / "home"),
        "TALKFIELD_SCRIPTED": str(rules),
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", examples()[heading]],
        env=environment,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert (done.returncode, done.stderr, done.stdout) == (0, "", PRINTED[heading])


def test_Z4_the_first_example_is_ten_lines_of_code() -> None:
    code = examples()["Ten lines"]
    lines = [line for line in code.splitlines() if line.strip() and not line.startswith(("import", "from"))]
    assert len(lines) <= 10
