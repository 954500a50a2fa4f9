"""Runs the server and the Vite development server side by side; when either ends, both do."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PORT = "8420"


def main() -> int:
    npm = shutil.which("npm")
    if npm is None:
        print("dev: npm was not found", file=sys.stderr)
        return 1
    environment = os.environ | {"TALKFIELD_SERVER": f"http://127.0.0.1:{PORT}"}
    server = [sys.executable, "-m", "talkfield", "open", "--no-browser", "--port", PORT, *sys.argv[1:]]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    processes = [
        subprocess.Popen(server, cwd=ROOT),
        subprocess.Popen([npm, "run", "dev"], cwd=ROOT / "web", env=environment),
    ]
    try:
        os.wait()
    except KeyboardInterrupt:
        pass
    finally:
        for process in processes:
            if process.poll() is None:
                process.terminate()
        for process in processes:
            process.wait()
    return max(process.returncode or 0 for process in processes)


if __name__ == "__main__":
    sys.exit(main())
