"""Runs every benchmark and keeps what they found: `make bench`.

Writes `results/<date>.json` (the machine, the versions, every figure with its bound and spread) and prints a table of
them beside the last results that are there. Ratios compare ways within one run; a figure in seconds says little on
another machine. The status is not 0 when a benchmark failed: a bound does not hold, or it could not run.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import sqlite3
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from environments import installed
from figures import VARIABLE

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
PACKAGES = ("talkfield", "aiohttp", "msgspec", "uvloop", "starlette", "uvicorn", "sqlalchemy")


def machine() -> dict[str, Any]:
    """What the figures were taken on."""
    model = platform.processor() or platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else ():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "memoryGb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "packages": {name: found for name in PACKAGES if (found := version_of(name))},
    }


def version_of(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def run(bench: Path) -> tuple[list[dict[str, Any]], int]:
    """One benchmark in a process of its own; its figures and its status. What it prints is shown as it comes."""
    print(f"\n== {bench.stem}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "figures"
        done = subprocess.run([sys.executable, bench], env=os.environ | {VARIABLE: str(target)}, check=False)
        lines = target.read_text("utf-8").splitlines() if target.exists() else []
    return [json.loads(line) for line in lines], done.returncode


def latest(but: Path) -> dict[str, Any] | None:
    """The results before these."""
    earlier = sorted(path for path in RESULTS.glob("*.json") if path != but)
    return json.loads(earlier[-1].read_text("utf-8")) if earlier else None


def table(figures: list[dict[str, Any]], before: dict[str, Any] | None) -> list[str]:
    """A line a figure: what, how much, its spread, its bound, and how it was the last time."""
    last = {(each["bench"], each["what"]): each["value"] for each in (before or {}).get("figures", ())}
    width = max((len(each["what"]) for each in figures), default=0)
    lines = []
    for each in figures:
        was = last.get((each["bench"], each["what"]))
        bound = f"at most {each['atMost']:g}" if "atMost" in each else ""
        bound = f"at least {each['atLeast']:g}" if "atLeast" in each else bound
        spread = "{:.3g} to {:.3g}".format(*each["spread"]) if "spread" in each else ""
        change = f"{each['value'] / was:.2f} times the last" if was else ""
        off = "" if each["holds"] else "  <- off"
        lines.append(
            f"{each['what']:<{width}}  {each['value']:>10.4g} {each['unit']:<6} {spread:<15} {bound:<14} {change}{off}"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", help="which, such as `window wire`; all without")
    names = parser.parse_args().names
    benches = sorted(HERE.glob("bench_*.py")) if not names else [HERE / f"bench_{name}.py" for name in names]
    now = datetime.datetime.now(datetime.UTC)
    target = RESULTS / f"{now.date().isoformat()}.json"
    before = latest(target)
    here = machine()
    found: dict[str, Any] = {"date": now.isoformat(timespec="seconds"), "machine": here, "figures": [], "failed": []}
    if names and target.exists():  # the others' figures of this day stay
        today = json.loads(target.read_text("utf-8"))
        found["figures"] = [each for each in today["figures"] if HERE / f"{each['bench']}.py" not in benches]
        found["failed"] = [name for name in today["failed"] if HERE / f"{name}.py" not in benches]
    for bench in benches:
        figures, status = run(bench)
        found["figures"] += figures
        if status:
            found["failed"].append(bench.stem)
    found["peers"] = installed()  # after the benchmarks: they install them
    RESULTS.mkdir(exist_ok=True)
    target.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(f"\n{here['processor']}, {here['cores']} cores, {here['memoryGb']} GiB, Python {here['python']}", end=", ")
    print(f"load {here['load']} at the beginning" + (f"; beside {before['date']}" if before else ""))
    print("\n".join(table(found["figures"], before)))
    print(f"kept in {target.relative_to(HERE.parent)}")
    if found["failed"]:
        raise SystemExit(f"failed: {', '.join(found['failed'])}")


if __name__ == "__main__":
    main()
