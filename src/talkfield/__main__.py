"""`python -m talkfield`."""

from __future__ import annotations

import sys

from talkfield.cli import main

if __name__ == "__main__":
    sys.exit(main())
