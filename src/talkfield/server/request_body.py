"""What a request's body and address become, strictly, and how an answer is written."""

from __future__ import annotations

from typing import TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from talkfield.core.ids import ProjectId
from talkfield.errors import InvalidArgument, TalkfieldError
from talkfield.workspace.base import SessionLike, StudioLike

BodyType = TypeVar("BodyType", bound=msgspec.Struct)

_encoder = msgspec.json.Encoder(decimal_format="string")


class MalformedBody(TalkfieldError):
    """A body that is no JSON at all."""

    code = "malformed_body"


async def read(request: Request, type_: type[BodyType]) -> BodyType:
    """The body, strictly. Raises `InvalidArgument` that names the field, `MalformedBody` where it is no JSON."""
    data = await request.body()
    if not data and not type_.__struct_fields__:
        data = b"{}"
    try:
        return msgspec.json.decode(data, type=type_)
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(" - at `")
        raise InvalidArgument(problem, place=place.rstrip("`").removeprefix("$").removeprefix(".")) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedBody(f"The body is no JSON: {error}") from None


def project_id(request: Request) -> ProjectId:
    """The project that the address names, whether there is one or not."""
    return ProjectId(request.path_params["project"])


async def project_session(request: Request, studio: StudioLike) -> SessionLike:
    """The project that the address names, open. Raises `UnknownThing`, `ProjectUnreadable`."""
    return await studio.session(project_id(request))


def number(request: Request, name: str, default: int, most: int) -> int:
    """A number in the address. Raises `InvalidArgument`."""
    text = request.query_params.get(name, str(default))
    if not text.isdecimal() or not text.isascii() or int(text[:20]) > most:
        raise InvalidArgument(f"must be a number up to {most}", place=name)
    return int(text)


def answer(value: msgspec.Struct, status: int = 200) -> Response:
    return Response(_encoder.encode(value), status, media_type="application/json")
