"""The description of the HTTP API, made from its operations and structs (OpenAPI 3.1). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from talkfield.core.events import (
    ContextAdded,
    Delta,
    Done,
    NoteAdded,
    RetryWaiting,
    ThinkingDelta,
    ToolCalled,
    ToolReturned,
    UsageReported,
)
from talkfield.server.error import ErrorAnswer
from talkfield.server.operation import BYTES, Operation

StreamedEvent = (
    Delta | ThinkingDelta | UsageReported | ToolCalled | ToolReturned | ContextAdded | NoteAdded | RetryWaiting | Done
)

ERROR_WORDS = {
    400: "The body is no JSON.",
    401: "No token, or a wrong one.",
    403: "The request comes from another site.",
    404: "There is no such thing.",
    409: "The state has to change first; `code` says what stands in the way.",
    413: "The body is too large.",
    415: "The body is not sent as JSON, or a file not as bytes.",
    421: "The name in `Host` is not one this server answers to.",
    422: "A value it may not have; `message` names the field.",
    503: "The server is stopping.",
    507: "The disk refused.",
}

REFERENCE = "#/components/schemas/{name}"


def describe(operations: Iterable[Operation], version: str) -> dict[str, Any]:
    """The whole document."""
    operations = tuple(operations)
    types: list[Any] = [ErrorAnswer, StreamedEvent]
    for operation in operations:
        types += [operation.answer] if operation.body is None else [operation.answer, operation.body]
    schemas, components = msgspec.json.schema_components(types, ref_template=REFERENCE)
    by_type = dict(zip(map(repr, types), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = described(operation, by_type)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Talkfield",
            "version": version,
            "description": "Everything runs on this machine. Scripts use the bearer token of the data folder.",
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"bearer": []}],
    }


def described(operation: Operation, schemas: Mapping[str, Any]) -> dict[str, Any]:
    """One operation."""
    content: dict[str, Any] = {"application/json": {"schema": schemas[repr(operation.answer)]}}
    if operation.answer is bytes:
        content = {BYTES: {}, "image/*": {}}
    if operation.streams:
        content["text/event-stream"] = {"schema": {"type": "string"}, "x-event-data": schemas[repr(StreamedEvent)]}
    responses: dict[str, Any] = {str(operation.status): {"description": "As asked.", "content": content}}
    for status in sorted({*operation.errors, *common_errors(operation)}):
        responses[str(status)] = {
            "description": ERROR_WORDS[status],
            "content": {"application/json": {"schema": schemas[repr(ErrorAnswer)]}},
        }
    out: dict[str, Any] = {"operationId": operation.name, "summary": operation.about, "responses": responses}
    in_path = [piece[1:-1] for piece in operation.path.split("/") if piece.startswith("{")]
    parameters = [(name, "path") for name in in_path] + [(name, "query") for name in operation.query]
    if parameters:
        out["parameters"] = [
            {"name": name, "in": place, "required": place == "path", "schema": {"type": "string"}}
            for name, place in parameters
        ]
    if operation.body is not None:
        out["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schemas[repr(operation.body)]}},
        }
    if operation.takes_bytes:
        out["requestBody"] = {"required": True, "content": {BYTES: {}}}
    if operation.open:
        out["security"] = []
    return out


def common_errors(operation: Operation) -> set[int]:
    """What the gate may answer before the operation is reached, and the decoder."""
    gate = {403, 421} if operation.open else {401, 403, 421}
    return gate if operation.body is None else gate | {400, 413, 415, 422}
