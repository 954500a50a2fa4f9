"""Files that go with what is said: what a command may name (U11, X4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from talkfield.core.messages import Attachment
from talkfield.errors import InvalidArgument

if TYPE_CHECKING:
    from talkfield.workspace.session import Session

MAX_FILES = 20
"""More than any provider takes with one message."""

MAX_FIELD = 255


def checked_files(session: Session, files: tuple[Attachment, ...]) -> tuple[Attachment, ...]:
    """The files, all of which are here. Raises `InvalidArgument`."""
    if len(files) > MAX_FILES:
        raise InvalidArgument(f"at most {MAX_FILES} files go with one message", place="attachments")
    for index, file in enumerate(files):
        place = f"attachments[{index}]"
        if any(len(field) > MAX_FIELD for field in (file.id, file.name, file.media_type)):
            raise InvalidArgument(f"must not be longer than {MAX_FIELD} characters", place=place)
        if not session.services.has_file(file.digest):
            raise InvalidArgument(f"{file.name} is not here any more: attach it again", place=place)
    return files
