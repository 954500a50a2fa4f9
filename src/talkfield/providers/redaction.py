"""Takes keys out of what a provider says (D15): several services echo them, whole or masked, in their errors.

Pure. Applied to every provider text before it is logged, stored or shown; never to what a model answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from talkfield.runtime.ports import Chunk, FinishChunk, ProviderConfig, UsageChunk

MARK = "[key]"
LEAST_PART = 6
"""A beginning or an end of a key of so many characters gives it away as well."""

SECRET_HEADER = re.compile(r"auth|key|token|cookie|secret|password", re.IGNORECASE)
LOOKS_LIKE_A_KEY = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|r8|csk|pplx|nvapi|ghp|github_pat|key)[-_][A-Za-z0-9_-]{16,}|\bAIza[A-Za-z0-9_-]{20,}"
    r"|(?<=Bearer )[A-Za-z0-9._~+/-]{12,}=*"
)
MASKED_REST = re.compile(re.escape(MARK) + r"[*•…x.]{2,}[\w-]*")


def secrets_of(provider: ProviderConfig) -> tuple[str, ...]:
    """What must never be seen of this provider: its key, and headers a person set whose names speak of a secret."""
    headers = (value for name, value in provider.headers.items() if SECRET_HEADER.search(name))
    return tuple(secret for secret in (provider.key, *headers) if secret.strip())


def redact(text: str, secrets: Iterable[str]) -> str:
    """`text` without the secrets, without their beginnings and ends, and without anything that looks like a key."""
    for secret in secrets:
        for form in {secret, secret.removeprefix("Bearer ").strip()}:
            text = _redact_one(text, form)
    return LOOKS_LIKE_A_KEY.sub(MARK, text)


class KeyFilter:
    """Takes keys out of what is told of an answer: the model's name, the reason of its end. Its words stay as they
    are."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = tuple(secrets)
        self._models: dict[str, str] = {}

    def clean(self, chunks: list[Chunk]) -> list[Chunk]:
        for place, chunk in enumerate(chunks):
            if type(chunk) is UsageChunk and chunk.model:
                model = self._models.get(chunk.model)
                if model is None:
                    model = self._models[chunk.model] = redact(chunk.model, self._secrets)
                if model != chunk.model:
                    chunks[place] = msgspec.structs.replace(chunk, model=model)
            elif type(chunk) is FinishChunk and (chunk.raw or chunk.detail):
                raw, detail = redact(chunk.raw, self._secrets), redact(chunk.detail, self._secrets)
                if (raw, detail) != (chunk.raw, chunk.detail):
                    chunks[place] = msgspec.structs.replace(chunk, raw=raw, detail=detail)
        return chunks


def _redact_one(text: str, secret: str) -> str:
    if len(secret) < LEAST_PART:
        return re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", MARK, text) if secret else text
    text = text.replace(secret, MARK)
    text = _cut_parts(text, secret)
    text = _cut_parts(text[::-1], secret[::-1], mark=MARK[::-1])[::-1]
    text = MASKED_REST.sub(MARK, text)
    return re.sub(r"\*{2,}([\w-]+)", lambda m: MARK if secret.endswith(m[1]) else m[0], text)


def _cut_parts(text: str, secret: str, *, mark: str = MARK) -> str:
    """Replace each longest beginning of the secret."""
    start = secret[:LEAST_PART]
    at = text.find(start)
    while at >= 0:
        end = at + LEAST_PART
        while end < len(text) and end - at < len(secret) and text[end] == secret[end - at]:
            end += 1
        text = text[:at] + mark + text[end:]
        at = text.find(start, at + len(mark))
    return text
