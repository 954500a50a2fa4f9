"""Errors as answers: one JSON form for every refusal, and which HTTP status each error is."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from talkfield.errors import TalkfieldError

STATUS_BY_CODE: dict[str, int] = {
    "busy": 409,
    "context_full": 409,
    "budget": 409,
    "turn_running": 409,
    "nothing_to_do": 409,
    "no_provider": 409,
    "no_model": 409,
    "already_decided": 409,
    "cancelled": 409,
    "rejected": 409,
    "unknown": 404,
    "invalid_argument": 422,
    "invalid_change": 422,
    "project_locked": 409,
    "project_unreadable": 409,
    "project_too_new": 409,
    "save_failed": 507,
    "malformed_body": 400,
    "going_away": 503,
}


class ErrorBody(msgspec.Struct, frozen=True, kw_only=True):
    """What went wrong: a stable code, words, and what can be done about it."""

    code: str
    message: str
    hint: str = ""


class ErrorAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The body of every answer whose status is 400 or above."""

    error: ErrorBody


def error_response(
    status: int, code: str, message: str, hint: str = "", headers: dict[str, str] | None = None
) -> Response:
    body = ErrorAnswer(error=ErrorBody(code=code, message=message, hint=hint))
    return Response(msgspec.json.encode(body), status, headers, "application/json")


def response_for(error: TalkfieldError) -> Response:
    """The answer for an error of ours: 409 where the state has to change first, 404, 422; else 500."""
    return error_response(STATUS_BY_CODE.get(error.code, 500), error.code, error.message, error.hint)
