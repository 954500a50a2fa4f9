"""Writes what a link delivers to a file of the project, confined as tools are (T9, L1).

Nobody sees a card for it each time, so what a card would always be shown for (settings of the shell, hooks of git,
secrets) is not written at all.
"""

from __future__ import annotations

from talkfield.errors import ToolError
from talkfield.runtime.ports import ToolContext
from talkfield.tools.confinement import ProjectRoot, quoted
from talkfield.tools.file_replacement import place_of, replace
from talkfield.tools.sensitivity import writing_of
from talkfield.tools.thread import Cancellation, in_thread
from talkfield.tools.write_file import bytes_of


async def write_link_file(path: str, text: str, context: ToolContext, *, append: bool) -> str:
    """Put the text there, after what is there with `append`; says what was done. Raises `ToolError`."""
    concern = writing_of(path)
    if concern is not None:
        raise ToolError(f"{quoted(path)}: no link writes there: {concern.why}")
    data = bytes_of(text)

    def work(cancellation: Cancellation) -> str:
        with ProjectRoot(context) as root, place_of(root, path, make_folders=True) as place:
            before = place.data if append and place.data is not None else b""
            between = b"" if not before else b"\n" if before.endswith(b"\n") else b"\n\n"
            replace(place, before + between + data, cancellation)
            done = "made" if place.data is None else "added to" if append else "replaced"
            return f"{done} {quoted(place.path)}: {len(data):,} bytes"

    return await in_thread(work)
