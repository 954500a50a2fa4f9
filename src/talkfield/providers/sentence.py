"""Errors as sentences, for the places where a person reads one without its parts: a provider's record. Pure."""

from __future__ import annotations

from talkfield.errors import TalkfieldError


def sentences(error: TalkfieldError) -> str:
    """What happened and what to do, each with a capital and a full stop."""
    return " ".join(_sentence(part) for part in (error.message, error.hint) if part.strip())


def _sentence(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
