"""The examples of docs/library.md do what the page says (Z4). Each is run as a program of its own, as a reader would.

The scripted provider answers them, from rules that stand here, and a service on this machine: examples that ask a model
must not need one.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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
    "One provider": "Blue light scatters.\n end_turn\n",
    "A conversation that goes on": "A robin.\nA penguin.\n4 messages, n/a\n",
    "A tool, and who decides": 'asked for weather {"city": "Bern"}\nit said: 12 degrees and rain in Bern\n',
    "A driver of your own": "['CAN ', 'YOU ', 'HEAR ', 'ME ']\n[]\nend_turn\n",
    "The pure parts": ("n/a or 0.0055649\nTrue False\n(Configure(model='house-model-2', system=None),)\n"),
}


def examples() -> dict[str, str]:
    """The page's examples by their heading."""
    return {heading: code for heading, body in SECTION.findall(PAGE.read_text()) for code in CODE.findall(body)}


def test_Z4_every_example_of_the_page_is_run() -> None:
    assert examples().keys() == PRINTED.keys()
    assert len(CODE.findall(PAGE.read_text())) == len(PRINTED)


class House(BaseHTTPRequestHandler):
    """An OpenAI-compatible service with one answer."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for word in ("Blue ", "light ", "scatters."):
            self.say({"choices": [{"index": 0, "delta": {"content": word}}]})
        self.say({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        self.wfile.write(b"data: [DONE]\n\n")

    def say(self, event: dict[str, Any]) -> None:
        self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())

    def log_message(self, format: str, *arguments: Any) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def house() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), House)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("heading", list(PRINTED))
def test_Z4_an_example_does_what_the_page_says(heading: str, tmp_path: Path, house: str) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps({"rules": RULES}))
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("TALKFIELD_")},
        "TALKFIELD_HOME": str(tmp_path / "home"),
        "TALKFIELD_SCRIPTED": str(rules),
        "MY_BASE_URL": house,
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


def test_Z4_the_examples_are_typed_strictly(tmp_path: Path) -> None:
    """As a reader's own files are: away from this project, with nothing but the installed package."""
    for heading, code in examples().items():
        (tmp_path / f"{heading.lower().replace(' ', '_').replace(',', '')}.py").write_text(code)
    (tmp_path / "names.py").write_text(NAMES)
    wrong = 'names.py:4: error: Incompatible types in assignment (expression has type "SendResult", variable has type '
    assert mypy(tmp_path).stdout.splitlines() == [
        f'{wrong}"int")  [assignment]',
        f"Found 1 error in 1 file (checked {len(PRINTED) + 1} source files)",
    ]


NAMES = """\
import talkfield

async def ask(runtime: talkfield.ChatRuntime, request: talkfield.SendRequest) -> None:
    wrong: int = await runtime.send(request)
    error: talkfield.TalkfieldError = talkfield.NodeBusy()
    print(wrong, error, talkfield.DEFAULT_PRICES.find("gpt-4o"), talkfield.cost_of, talkfield.__version__)
"""


def mypy(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / ".mypy_cache"), "."]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=170, check=False)
