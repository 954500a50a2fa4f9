"""Who may come in: one-time tokens for the opening link, and the cookie a browser keeps afterwards (X1).

No I/O: the secret is handed in, and so is the time. A cookie is proof of itself, signed with a secret that outlives the
process, so that a tab survives a restart of the server.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

MAX_OPEN_LINKS = 32


class Launches:
    """One-time tokens. Each opens the door once; the oldest unused ones are forgotten past `MAX_OPEN_LINKS`."""

    def __init__(self) -> None:
        self._digests: dict[bytes, None] = {}

    def mint(self) -> str:
        """A new token, for one link."""
        token = secrets.token_urlsafe(32)
        self._digests[_digest(token)] = None
        while len(self._digests) > MAX_OPEN_LINKS:
            del self._digests[next(iter(self._digests))]
        return token

    def redeem(self, token: str) -> bool:
        """Whether the token was good; from now on it is not."""
        # Looked up by digest: how long a look-up takes says nothing about the token itself.
        return self._digests.pop(_digest(token), _MISSING) is not _MISSING


class SessionCookie:
    """Makes and checks the value of the browser's cookie: when it was issued, a nonce, and the signature of both.

    The name carries the port, since browsers do not keep the cookies of two ports of one host apart.
    """

    def __init__(self, *, secret: bytes, port: int, lifetime_s: int) -> None:
        self.name = f"talkfield-{port}"
        self.lifetime_s = lifetime_s
        self._secret = secret

    def issue(self, now_s: float) -> str:
        body = f"{int(now_s)}.{secrets.token_urlsafe(12)}"
        return f"{body}.{self._signature(body)}"

    def accepts(self, value: str, now_s: float) -> bool:
        body, _, signature = value.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._signature(body).encode()):
            return False
        return int(body.partition(".")[0]) + self.lifetime_s > now_s

    def header(self, now_s: float, *, encrypted: bool = False) -> str:
        """The `Set-Cookie` header for a browser that has just come in; with TLS, for connections with TLS alone."""
        secure = "; Secure" if encrypted else ""
        return f"{self.name}={self.issue(now_s)}; Max-Age={self.lifetime_s}; Path=/; HttpOnly; SameSite=Strict{secure}"

    def _signature(self, body: str) -> str:
        return hmac.new(self._secret, f"{self.name}:{body}".encode(), hashlib.sha256).hexdigest()


def same_secret(given: str, expected: str) -> bool:
    """Compares in a time that does not depend on where they differ."""
    return hmac.compare_digest(given.encode(), expected.encode())


_MISSING = object()


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
