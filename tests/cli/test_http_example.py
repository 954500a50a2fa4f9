"""The script of docs/api.md, run as it stands there but for the port."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from cli.terminal import environment, opened

PAGE = Path(__file__).resolve().parents[2] / "docs" / "api.md"


@pytest.mark.skipif(shutil.which("curl") is None or shutil.which("bash") is None, reason="no curl, or no bash")
def test_Z1_the_script_of_the_page_about_http_works(tmp_path: Path) -> None:
    (script,) = re.findall(r"```bash\n(.*?)```", PAGE.read_text(), re.DOTALL)
    home = tmp_path / ".local" / "share" / "talkfield"
    with opened(home) as canvas:
        address = canvas.url.removeprefix("http://")
        done = subprocess.run(
            ["bash", "-euc", script.replace("127.0.0.1:8420", address)],
            capture_output=True,
            env=environment(home, HOME=str(tmp_path)),
            timeout=60,
            check=True,
            text=True,
        )
    assert done.stderr == ""
    assert "echo: Hello" in done.stdout
    assert "event: done" in done.stdout.splitlines()[-4:]
