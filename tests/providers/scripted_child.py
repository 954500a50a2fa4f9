"""Stands in for `local_server.py`: a child that does what its arguments say, without a model.

`serve <folder>`: answers at once and leaves what it was told and its environment in files of the folder; `deaf`: the
same, but stays when stdin ends; `refuse`: cannot serve; `crash`: prints to stderr and ends; `silent`: never answers.
"""

import json
import os
import sys
import time
from pathlib import Path


def main(how: str, folder: Path) -> None:
    order = sys.stdin.readline()
    told = folder / f"{os.getpid()}.told"
    told.write_text(json.dumps({"order": json.loads(order), "environment": dict(os.environ)}))
    told.rename(told.with_suffix(".json"))
    if how == "refuse":
        print(json.dumps({"error": "the weights are damaged"}), flush=True)
        sys.exit(1)
    if how == "crash":
        sys.stderr.write("illegal instruction\n")
        sys.exit(3)
    if how != "silent":
        print(json.dumps({"address": f"http://127.0.0.1:{os.getpid()}"}), flush=True)
    sys.stdin.read()
    while how in {"deaf", "silent"}:
        time.sleep(60)  # noqa: TID251 - a process of its own


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
