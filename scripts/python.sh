#!/bin/sh
# Runs its arguments with a Python that is new enough: the checkout's own if it works, else the newest one installed.
# Stands alone, so that a machine without one is told what to do in one line.
own=.venv/bin/python
if [ -x "$own" ] && "$own" -I -S -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    exec "$own" "$@"
fi
for name in python3.13 python3.12 python3.11 python3; do
    if command -v "$name" >/dev/null 2>&1 &&
        "$name" -I -S -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        exec "$name" "$@"
    fi
done
echo "talkfield: needs Python 3.11 or newer, and found none: install it (on Debian: apt-get install python3 python3-venv), then try again." >&2
exit 1
