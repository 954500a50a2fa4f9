"""Reads lists of models in the shapes that services give them. Pure.

Known are OpenAI's `{"data": […]}` with what OpenRouter, Groq, Mistral, vLLM, llama.cpp, LM Studio and others add to
it, Anthropic's list, a bare array, and Ollama's `{"models": […]}`. A model whose own entry says that it can't chat is
left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talkfield.core.messages import FileKind, ModelInfo

CONTEXT_FIELDS = (
    "loaded_context_length",
    "context_length",
    "context_window",
    "max_model_len",
    "max_context_length",
    "max_input_tokens",
    "inputTokenLimit",
    "n_ctx",
)
NOT_CHAT = frozenset({"embedding", "embeddings", "rerank", "image", "audio", "moderation", "transcribe", "video"})


def models_in(answer: Any) -> list[ModelInfo] | None:
    """The models of an answer, sorted as they came, each id once; None where it is no list of models."""
    entries = answer
    if isinstance(answer, Mapping):
        entries = next((answer[key] for key in ("data", "models") if isinstance(answer.get(key), list)), None)
        if entries is None and "data" in answer:
            entries = answer["data"] or []
    if not isinstance(entries, list):
        return None
    found: dict[str, ModelInfo] = {}
    for entry in entries:
        model = _model(entry)
        if model is not None:
            found.setdefault(model.id, model)
    return list(found.values())


def _model(entry: Any) -> ModelInfo | None:
    if isinstance(entry, str):
        return ModelInfo(id=entry)
    if not isinstance(entry, Mapping):
        return None
    model_id = next((entry[key] for key in ("id", "model", "name") if isinstance(entry.get(key), str)), "")
    if not model_id or not _can_chat(entry):
        return None
    name = next((entry[key] for key in ("display_name", "name") if isinstance(entry.get(key), str)), "")
    return ModelInfo(
        id=model_id, name=name if name != model_id else "", context_tokens=_context(entry), takes=_takes(entry)
    )


def _context(entry: Mapping[str, Any]) -> int | None:
    meta, top, status = (entry.get(key) for key in ("meta", "top_provider", "status"))
    places = [entry, *(place for place in (meta, top, status) if isinstance(place, Mapping))]
    for place in places:
        for field in (*CONTEXT_FIELDS, "n_ctx_train"):
            value = place.get(field)
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return value
    return None


MODALITIES: dict[str, FileKind] = {"text": "text", "image": "image", "file": "document", "audio": "audio"}


def _takes(entry: Mapping[str, Any]) -> tuple[FileKind, ...] | None:
    """Kinds of files, where the entry names what goes in. Text always does: a text file is words in a message."""
    architecture = entry.get("architecture")
    for place in (architecture, entry):
        named = place.get("input_modalities") if isinstance(place, Mapping) else None
        if isinstance(named, list):
            return tuple(kind for name, kind in MODALITIES.items() if kind == "text" or name in named)
    return None


def _can_chat(entry: Mapping[str, Any]) -> bool:
    if str(entry.get("type", "")).lower() in NOT_CHAT or str(entry.get("task", "")).lower() in NOT_CHAT:
        return False
    capabilities = entry.get("capabilities")
    if isinstance(capabilities, Mapping) and capabilities.get("completion_chat") is False:
        return False
    architecture = entry.get("architecture")
    if isinstance(architecture, Mapping):
        gives = architecture.get("output_modalities")
        return not isinstance(gives, list) or "text" in gives
    return True
