"""The gate: one ASGI layer that every HTTP request and every WebSocket passes before anything else happens (X1, X3).

In this order: exact `Host`, exact `Origin`, no page of another site, a right to be here (cookie or bearer token), a
JSON body where something may change. It answers refusals itself; it never lets a refused request reach the application.
Framework middleware for CORS and hosts is not used: it does not run for WebSockets, and there is nobody to share with.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from talkfield.server.config import ServerConfig
from talkfield.server.error import error_response
from talkfield.server.launch import Launches, SessionCookie, same_secret
from talkfield.server.operation import BYTES
from talkfield.wire.server import CLOSE_CODES

OPEN_PATHS = frozenset({"/api/health"})
READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
UPLOAD_PATHS = frozenset({"/api/attachments", "/api/imports", "/api/restores"})
"""What takes a file's bytes instead of JSON."""

CHANGING_METHODS = frozenset({"POST", "PUT", "PATCH", "DELETE"})
"""The methods that any route may have; what a request of another brings is not looked at."""

NEW_LINK_HINT = "Run `talkfield open` in a terminal and use the link it prints."


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """Why a request goes no further."""

    status: int
    code: str
    message: str
    hint: str = ""


WRONG_HOST = Refusal(
    status=421,
    code="wrong_host",
    message="This name is not one Talkfield answers to.",
    hint="Use the address that `talkfield open` printed, or start it with --allow-host.",
)
WRONG_ORIGIN = Refusal(status=403, code="wrong_origin", message="Pages of other sites may not talk to Talkfield.")
NOT_JSON = Refusal(
    status=415,
    code="not_json",
    message="A request that may change something needs the header Content-Type: application/json.",
)
NOT_BYTES = Refusal(
    status=415,
    code="not_bytes",
    message="A file is sent with the header Content-Type: application/octet-stream.",
)
TOO_LARGE = Refusal(status=413, code="too_large", message="The body is larger than Talkfield takes.")
UNAUTHORISED = Refusal(
    status=401,
    code="unauthorised",
    message="This needs a session: the link was used already, or there was none.",
    hint=NEW_LINK_HINT,
)


class Gate:
    """Wraps the whole application. Holds no state but the launch tokens; two gates can live in one process."""

    def __init__(self, app: ASGIApp, config: ServerConfig, launches: Launches) -> None:
        self.app = app
        self.config = config
        self.launches = launches
        self.hosts = config.hosts
        self.origins = config.origins
        self.cookie = SessionCookie(secret=config.cookie_secret, port=config.port, lifetime_s=config.cookie_lifetime_s)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self.request(scope, receive, send)
        elif scope["type"] == "websocket":
            await self.websocket(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def request(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        encrypted = self.config.is_encrypted(host)
        send = with_security_headers(send, content_security_policy(host, encrypted=encrypted))
        refusal = self.refuse_address(headers)
        if refusal is None and scope["path"] == "/" and scope["method"] == "GET":
            entrance = self.launch(scope, encrypted=encrypted)
            if entrance is not None:
                await entrance(scope, receive, send)
                return
        if refusal is None and scope["path"] not in OPEN_PATHS:
            refusal = self.refuse_access(scope, headers)
        if refusal is None:
            refusal = self.refuse_body(scope, headers)
        if refusal is not None:
            await refusal_response(refusal, scope, headers)(scope, receive, send)
            return
        await self.app(scope, receive, send)

    async def websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        refusal = self.refuse_address(headers) or self.refuse_access(scope, headers)
        if refusal is None:
            await self.app(scope, receive, send)
            return
        socket = WebSocket(scope, receive, send)
        if refusal is UNAUTHORISED and "origin" in headers:
            # Scripts of a page cannot see the status of a refused handshake, only a close code. This is our own page.
            await socket.accept()
            await socket.close(CLOSE_CODES["unauthorised"], refusal.message)
            return
        await socket.send_denial_response(error_response(refusal.status, refusal.code, refusal.message, refusal.hint))

    def refuse_address(self, headers: Headers) -> Refusal | None:
        """The name we are called by, and the page that calls. Nothing is unlocked by a right to be here."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return WRONG_HOST
        if origins and (len(origins) != 1 or origins[0] not in self.origins):
            return WRONG_ORIGIN
        return None

    def refuse_access(self, scope: Scope, headers: Headers) -> Refusal | None:
        """A script has the bearer token, a page has the cookie and comes from us."""
        authorization = headers.get("authorization")
        if authorization is not None:
            kind, _, token = authorization.partition(" ")
            good = kind.lower() == "bearer" and same_secret(token.strip(), self.config.bearer_token)
            return None if good else UNAUTHORISED
        if not self.has_cookie(scope):
            return UNAUTHORISED
        # SameSite=Strict does not keep out pages of other ports of this host: for browsers they are the same site.
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") and not is_navigation(headers):
            return WRONG_ORIGIN
        changes = scope["type"] == "websocket" or scope["method"] not in READING_METHODS
        if changes and "origin" not in headers:
            return UNAUTHORISED
        return None

    def refuse_body(self, scope: Scope, headers: Headers) -> Refusal | None:
        if scope["method"] not in CHANGING_METHODS:
            return refuse_length(headers, self.config.max_body_bytes)
        if scope["path"] in UPLOAD_PATHS:
            is_backup = scope["path"] == "/api/restores"
            most = self.config.max_backup_bytes if is_backup else self.config.max_attachment_bytes
            return refuse_body(headers, BYTES, most, NOT_BYTES)
        return refuse_body(headers, "application/json", self.config.max_body_bytes, NOT_JSON)

    def has_cookie(self, scope: Scope) -> bool:
        value = HTTPConnection(scope).cookies.get(self.cookie.name)
        return value is not None and self.cookie.accepts(value, self.config.now_s())

    def launch(self, scope: Scope, *, encrypted: bool) -> Response | None:
        """Redeems `/?token=…`, so that it works once and leaves the address bar and the history; None without one."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        tokens = [value for name, value in query if name == "token"]
        if not tokens:
            return None
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        response = RedirectResponse(f"/?{rest}" if rest else "/", 303, {"cache-control": "no-store"})
        if self.launches.redeem(tokens[0]):
            response.headers["set-cookie"] = self.cookie.header(self.config.now_s(), encrypted=encrypted)
            return response
        return response if self.has_cookie(scope) else unauthorised_page(again=False)


def refuse_body(headers: Headers, media_type: str, max_bytes: int, otherwise: Refusal) -> Refusal | None:
    """A form of another page cannot send JSON, or mere bytes, without asking first, and asking is never granted."""
    essence = headers.get("content-type", "").partition(";")[0].strip().lower()
    return otherwise if essence != media_type else refuse_length(headers, max_bytes)


def refuse_length(headers: Headers, max_bytes: int) -> Refusal | None:
    """A body that says it is too large is not read; one that does not say is cut off by the application."""
    length = headers.get("content-length", "0")
    return TOO_LARGE if length.isdecimal() and int(length) > max_bytes else None


def is_navigation(headers: Headers) -> bool:
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"


def refusal_response(refusal: Refusal, scope: Scope, headers: Headers) -> Response:
    wants_page = "text/html" in headers.get("accept", "") and not scope["path"].startswith("/api/")
    if refusal is UNAUTHORISED and wants_page:
        # After a click on a page of another site, the browser holds a SameSite=Strict cookie back. Our own page asking
        # again gets it; under another address, since a plain reload counts as the first click again, and only once.
        first_try = scope["path"] == "/" and not scope["query_string"]
        return unauthorised_page(again=first_try and headers.get("sec-fetch-site") == "cross-site")
    challenge = {"www-authenticate": "Bearer"} if refusal.status == 401 else {}
    return error_response(refusal.status, refusal.code, refusal.message, refusal.hint, challenge)


def unauthorised_page(*, again: bool) -> Response:
    """Tells a person how to get in; with `again`, asks once more first."""
    refresh = '<meta http-equiv="refresh" content="0;url=/?again">' if again else ""
    return HTMLResponse(
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'>{refresh}<title>Talkfield</title></head><body>"
        "<h1>This link has been used</h1><p>Links to Talkfield work once, so that nobody else can follow them."
        "</p><p>For a new one, run <code>talkfield open</code> in a terminal and use the link it prints.</p>"
        "</body></html>",
        401,
        {"cache-control": "no-store"},
    )


def with_security_headers(send: Send, policy: str) -> Send:
    """Adds to each answer, whoever made it, what it may do in a browser: nothing but what our own pages need (X3)."""

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": list(message.get("headers", ()))}
            headers = MutableHeaders(scope=message)
            headers.setdefault("cache-control", "no-store")
            headers.setdefault("content-security-policy", policy)
            headers["x-content-type-options"] = "nosniff"
            headers["referrer-policy"] = "no-referrer"
            headers["cross-origin-opener-policy"] = "same-origin"
            headers["cross-origin-resource-policy"] = "same-origin"
            headers["x-frame-options"] = "DENY"
        await send(message)

    return guarded


def content_security_policy(host: str, *, encrypted: bool = False) -> str:
    """Own scripts and styles, no inline script, no other host. `host` is the checked `Host` header.

    Style attributes are allowed: the canvas places its nodes by them. The WebSocket is named because not every browser
    counts it as 'self'.
    """
    scheme = "wss" if encrypted else "ws"
    socket = f" {scheme}://{host}" if host and all(letter.isalnum() or letter in ".-:[]" for letter in host) else ""
    return (
        "default-src 'self'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
        f"img-src 'self' data: blob:; font-src 'self'; connect-src 'self'{socket}; object-src 'none'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
