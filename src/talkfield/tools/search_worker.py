"""Searches files that are open already: a program of its own, started by `search_text` where there is no ripgrep.

Takes ripgrep's flags as far as they are used and writes its form: name, NUL, line number, colon, line. Python's regular
expressions can take for ever, so whoever starts this ends it after a while.
"""

from __future__ import annotations

import re
import sys

MAX_LINE_CHARS = 1200
BLOCK = 8192


def main(arguments: list[str]) -> int:
    at = arguments.index("-e")
    most, options, pattern, names = int(arguments[0]), arguments[1:at], arguments[at + 1], arguments[at + 3 :]
    try:
        wanted = re.compile(
            re.escape(pattern) if "-F" in options else pattern, re.IGNORECASE if "-i" in options else re.NOFLAG
        )
    except (re.error, RecursionError, OverflowError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    for name in names:
        with open(name, "rb") as file:
            data = file.read()
        if b"\0" not in data[:BLOCK]:
            search(name, data.decode("utf-8", "replace"), wanted, most, plain="-F" in options)
            sys.stdout.flush()
    return 0


def search(name: str, text: str, wanted: re.Pattern[str], most: int, *, plain: bool) -> None:
    if plain and not wanted.search(text):
        return  # text without a line break is in one line or in none
    found = 0
    for number, line in enumerate(text.split("\n"), 1):
        if wanted.search(line.rstrip("\r")):
            sys.stdout.write(f"{name}\0{number}:{line[:MAX_LINE_CHARS]}\n")
            found += 1
            if found >= most:
                return


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
