"""What importing the library costs, against importing what it stands on.

`python benchmarks/bench_import.py [--rounds 15]`; needs no network and some seconds.

New interpreters import, in turn, the modules of others that the runtime uses (asyncio, msgspec, decimal), the library
(`import talkfield`, which loads nothing yet), the runtime, and all public names. CPU time of the import alone; the
quickest of several, since a busy machine only ever makes one slower. Fails when a ratio is off, or when importing the
library takes 100 ms.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from figures import tell

WAYS = {
    "floor": "import asyncio, dataclasses, msgspec, decimal",
    "library": "import talkfield",
    "runtime": "from talkfield import ChatRuntime, SendRequest",
    "whole": "from talkfield import *",
}
MOST_LIBRARY_MS = 100.0
MOST_RUNTIME = 3.5
MOST_WHOLE = 7.0


def cpu_ms(statement: str) -> float:
    """Of one import, in an interpreter of its own."""
    script = f"import time; start = time.process_time(); {statement}; print(time.process_time() - start)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return float(done.stdout) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    best = dict.fromkeys(WAYS, float("inf"))
    for _ in range(arguments.rounds):
        best = {name: min(best[name], cpu_ms(statement)) for name, statement in WAYS.items()}
    print(f"CPU time of an import, the quickest of {arguments.rounds}")
    for name, value in best.items():
        print(f"  {name:<8}{value:8.1f} ms{value / best['floor']:8.2f} times the floor")
    holds = [
        tell("importing the library", best["library"], "ms of CPU", at_most=MOST_LIBRARY_MS),
        tell("importing the runtime, against what it stands on", best["runtime"] / best["floor"], at_most=MOST_RUNTIME),
        tell("importing every public name, against the same", best["whole"] / best["floor"], at_most=MOST_WHOLE),
    ]
    if not all(holds):
        raise SystemExit("a bound does not hold")


if __name__ == "__main__":
    main()
