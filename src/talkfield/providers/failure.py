"""Turns what a provider answers instead of a reply into one `ProviderError` (D5).

Owns the reading of error bodies of any shape, and what each means: class, code, hint, and whether the same request may
succeed later. Statuses lie (a wrong key is 400 at some services), so words count as well. Pure; redaction of keys is
the caller's last step.

Codes: `bad_key`, `forbidden`, `no_credit`, `rate_limited`, `overloaded`, `server_error`, `unknown_model`, `not_found`,
`context_too_long`, `request_too_large`, `content_blocked`, `tool_use_failed`, `redirected`, `bad_request`,
`provider_error` (an error inside an answer that says nothing of its kind).
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any

from talkfield.errors import ProviderError, ProviderGarbled, ProviderLimited, ProviderRefused, ProviderUnreachable
from talkfield.providers.body import well_formed
from talkfield.providers.retry_after import retry_after_s

MAX_MESSAGE_CHARACTERS = 600
MAX_PAGE_CHARACTERS = 64 * 1024
MAX_TITLE_CHARACTERS = 1000
TITLE_START = re.compile(r"<title(?:\s[^>]{0,200})?>", re.IGNORECASE)

CREDIT = re.compile(
    r"insufficient[_ ](?:quota|balance|credits?|funds)|credit balance|more credits|out of credits|billing|"
    r"payment required|exceeded your current quota|spending limit|no credit|quota exhausted",
    re.IGNORECASE,
)
KEY = re.compile(
    r"api[ _-]?key|authenticat|subscription key|unauthori[sz]ed|invalid (?:access )?token|credentials", re.IGNORECASE
)
CONTEXT = re.compile(
    r"context[_ ](?:length|window|size)|maximum context|max context|(?:prompt|input|messages?) (?:is |are )?too long|"
    r"too many (?:prompt |input )?tokens|too_many_prompt_tokens|maximum number of tokens|reduce the length",
    re.IGNORECASE,
)
MODEL = re.compile(
    r"model_not_found|deploymentnotfound|no endpoints found|unknown model|invalid model|not a valid model|"
    r"not a chat model|models?\b.{0,160}(?:not found|not exist|n't exist|deprecated|not available|not supported for)",
    re.IGNORECASE | re.DOTALL,
)
CONTENT = re.compile(
    r"content[_ ]filter|content management policy|moderation|flagged|responsibleai|content_policy|safety system",
    re.IGNORECASE,
)
TOO_LARGE = re.compile(r"request too large|request_too_large|payload too large|entity too large", re.IGNORECASE)
OVERLOADED = re.compile(r"overloaded|at capacity|over capacity|too busy|unavailable", re.IGNORECASE)

STATUS_OF_WORD = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "model_not_found": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "resource_exhausted": 429,
    "api_error": 500,
    "server_error": 500,
    "internal_server_error": 500,
    "unavailable": 503,
    "service_unavailable": 503,
    "timeout_error": 504,
    "overloaded_error": 529,
}
STATUS_NAME = {425: "Too Early", 520: "Unknown Error", 521: "Web Server Is Down", 522: "Connection Timed Out"}
STATUS_NAME |= {523: "Origin Is Unreachable", 524: "A Timeout Occurred", 529: "Overloaded"}

PASSING = frozenset({408, 409, 425, 429, 529}) | frozenset(range(500, 600)) - {501, 505}
"""Statuses after which the same request may succeed (D6)."""

HINTS = {
    "bad_key": "Check this provider's key in Settings.",
    "forbidden": "Check what this key may do at the provider.",
    "no_credit": "Add credit or change the plan at the provider, or choose another provider.",
    "rate_limited": "Wait a little, or choose another model or provider.",
    "overloaded": "Try again in a moment, or choose another model.",
    "server_error": "Try again in a moment.",
    "unknown_model": "Choose another model in the chat's header.",
    "not_found": "Check the provider's address in Settings.",
    "context_too_long": "Branch from an earlier message, start a new chat, or choose a model with a larger window.",
    "request_too_large": "Shorten the chat or leave out attachments.",
    "content_blocked": "Rephrase the message, or choose another model.",
    "tool_use_failed": "Try again: the model made a call that its own service could not read.",
    "redirected": "Set the address it names as the provider's address in Settings, if you trust it.",
}


@dataclass(frozen=True, kw_only=True)
class Statement:
    """What an error body says: its words, its own code and type, the status it claims, and the raw value."""

    message: str = ""
    word: str = ""
    kind: str = ""
    status: int | None = None
    payload: Any = None

    @property
    def all_words(self) -> str:
        return f"{self.message} {self.word} {self.kind}"


def read_body(body: bytes) -> Any:
    """An error body as JSON where it is JSON, else as text."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body.decode("utf-8", errors="replace")


def title_of(text: str) -> str:
    """The title of an HTML page; nothing else of it is ever shown, and only its beginning is looked at."""
    start = TITLE_START.search(text, 0, MAX_PAGE_CHARACTERS)
    if start is None:
        return ""
    title, end, _ = text[start.end() : start.end() + MAX_TITLE_CHARACTERS].partition("</")
    return _one_line(html.unescape(re.sub(r"<[^>]*>", " ", title))) if end else ""


def is_html(text: str) -> bool:
    return text.lstrip("\ufeff \t\r\n").startswith("<")


def web_page(text: str) -> ProviderGarbled:
    """A page of HTML where a reply should be."""
    title = title_of(text)
    said = f"a web page ({title})" if title else "a web page"
    return ProviderGarbled(f"the address answers with {said}, not with a model's reply", code="web_page")


def statement_of(payload: Any) -> Statement:
    """Read an error of any shape: object, string, list of objects, text, HTML."""
    try:
        return _statement_in(payload)
    except RecursionError:  # nested so deeply that nobody wrote it for people
        return Statement(payload=payload)


def _statement_in(payload: Any) -> Statement:
    if isinstance(payload, str):
        return Statement(message=title_of(payload) if is_html(payload) else payload, payload=payload)
    if isinstance(payload, list) and payload:
        return _statement_in(payload[0])
    if not isinstance(payload, dict):
        return Statement(payload=payload)
    inner = payload.get("error")
    if isinstance(inner, dict):
        return replace(_statement_of_object(inner), payload=payload)
    if inner and isinstance(inner, str):
        return replace(_statement_of_object(payload), message=inner, payload=payload)
    native = payload.get("base_resp")
    if isinstance(native, dict):  # MiniMax
        return Statement(message=str(native.get("status_msg", "")), payload=payload)
    return _statement_of_object(payload)


def states_error(value: Mapping[str, Any]) -> bool:
    """Whether an object inside an answer is an error, also one that says so without an `error` field."""
    if value.get("choices") is not None:
        return False
    native = value.get("base_resp")
    if isinstance(native, Mapping) and native.get("status_code") not in (0, None):
        return True
    if value.get("error") or value.get("object") == "error" or value.get("type") == "error" or value.get("detail"):
        return True
    return isinstance(value.get("message"), str) and any(key in value for key in ("code", "status", "statusCode"))


def failure(
    payload: Any,
    *,
    provider: str = "",
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
    now_ms: int = 0,
    url: str = "",
) -> ProviderError:
    """The error that a body, or an error object inside an answer, stands for.

    `status` is the HTTP status; for an error inside an answer leave it None: then the error's own counts. `headers`
    have lower-case names. `url` is named where the address may be what is wrong.
    """
    headers = headers or {}
    said = statement_of(payload)
    known = status if status is not None else said.status
    wait = retry_after_s(headers, payload, said.message, now_ms=now_ms)
    code = _code_of(known, said, wait)
    message = _shorten(said.message) or _name_of(known) or "the provider reported an error without saying which"
    hint = HINTS.get(code, "")
    if code in ("not_found", "redirected") and url:
        hint = f"{hint} The address called was {url}"
    retryable = _may_pass(code, known, headers)
    return _class_of(code)(
        message,
        provider=provider,
        status=known,
        code=code,
        retryable=retryable,
        retry_after=wait if retryable else None,
        hint=hint,
    )


def _code_of(status: int | None, said: Statement, wait: float | None) -> str:
    words = said.all_words
    if status is not None and 300 <= status < 400:
        return "redirected"
    for code in _codes_by_words(status, words, said, wait):
        return code
    if status is None:
        return "provider_error"
    by_status = {401: "bad_key", 402: "no_credit", 403: "forbidden", 404: "not_found", 413: "request_too_large"}
    by_status |= {429: "rate_limited", 503: "overloaded", 529: "overloaded"}
    if status in by_status:
        return by_status[status]
    return "server_error" if status in PASSING or status >= 500 else "bad_request"


def _codes_by_words(status: int | None, words: str, said: Statement, wait: float | None) -> Iterator[str]:
    """What the words say, first match first."""
    if status == 402 or (status in (None, 400, 403, 429) and wait is None and CREDIT.search(words)):
        yield "no_credit"
    if said.word == "tool_use_failed":
        yield "tool_use_failed"
    if CONTEXT.search(words) and status != 429:
        yield "context_too_long"
    if TOO_LARGE.search(words):
        yield "request_too_large"
    if status in (None, 400, 401, 403) and KEY.search(words):
        yield "bad_key"
    if status in (None, 400, 403, 451) and CONTENT.search(words):
        yield "content_blocked"
    if status in (None, 400, 404, 410, 422) and (MODEL.search(words) or words.startswith("model:")):
        yield "unknown_model"
    if (status is None or status >= 500) and OVERLOADED.search(words):
        yield "overloaded"


def _class_of(code: str) -> type[ProviderError]:
    if code in ("rate_limited", "overloaded", "no_credit"):
        return ProviderLimited
    if code == "server_error":
        return ProviderUnreachable
    return ProviderError if code == "provider_error" else ProviderRefused


def _may_pass(code: str, status: int | None, headers: Mapping[str, str]) -> bool:
    if code in ("tool_use_failed", "provider_error"):
        return True
    if code not in ("rate_limited", "overloaded", "server_error"):
        return False
    return headers.get("x-should-retry") != "false" and (status is None or status in PASSING)


def _statement_of_object(error: Mapping[str, Any]) -> Statement:
    message = next(
        (text for key in ("message", "detail", "msg", "error", "title") if (text := _text(error.get(key)))), ""
    )
    metadata = error.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    if isinstance(raw, str) and raw and raw not in message:  # a router hands on what its upstream said
        message = f"{message}: {raw}" if message else raw
    word, kind = (str(error.get(key) or "") for key in ("code", "type"))
    return Statement(
        message=message, word=word, kind=kind, status=_status_in(error, word, kind, str(error.get("status") or ""))
    )


def _status_in(error: Mapping[str, Any], *words: str) -> int | None:
    for claimed in (error.get("status_code"), error.get("code"), error.get("status")):
        if isinstance(claimed, bool):
            continue
        if isinstance(claimed, int | str) and str(claimed).isdecimal() and 400 <= int(claimed) < 600:
            return int(claimed)
    return next((STATUS_OF_WORD[word.lower()] for word in words if word.lower() in STATUS_OF_WORD), None)


def _text(value: Any) -> str:
    """Words in whatever form: a string, or a validator's list of `{loc, msg}`."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return _text(value.get("message") or value.get("msg") or value.get("detail"))
    if isinstance(value, list):
        return "; ".join(filter(None, (_located(part) for part in value)))
    return ""


def _located(part: Any) -> str:
    if not isinstance(part, dict):
        return _text(part)
    place = part.get("loc")
    words = _text(part.get("msg") or part.get("message"))
    return f"{'.'.join(map(str, place))}: {words}" if isinstance(place, list) else words


def _name_of(status: int | None) -> str:
    if status is None:
        return ""
    name = STATUS_NAME.get(status)
    if name is None:
        try:
            name = HTTPStatus(status).phrase
        except ValueError:
            name = ""
    return f"HTTP {status} {name}".strip()


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _shorten(text: str) -> str:
    text = _one_line(well_formed(text))
    return text if len(text) <= MAX_MESSAGE_CHARACTERS else f"{text[: MAX_MESSAGE_CHARACTERS - 1]}…"
