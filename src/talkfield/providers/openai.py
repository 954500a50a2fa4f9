"""The OpenAI wire, `/chat/completions` and its dialects, as two pure halves and the driver that joins them (D1).

`request_for` makes a request, `OpenAiDecoder` reads its answer; neither does I/O.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talkfield.providers.base import HttpDriver
from talkfield.providers.base_url import chat_completions_url, models_url
from talkfield.providers.http_request import HttpRequest, headers_of
from talkfield.providers.openai_decoder import OpenAiDecoder
from talkfield.providers.openai_request import request_for
from talkfield.providers.profile import profile_of
from talkfield.runtime.ports import ProviderConfig, ProviderRequest

__all__ = ["OpenAiDecoder", "OpenAiDriver", "request_for"]


class OpenAiDriver(HttpDriver):
    """Any service that speaks `/chat/completions`."""

    def call_url(self, provider: ProviderConfig) -> str:
        return chat_completions_url(provider.base_url)

    def request_for(self, request: ProviderRequest, corrections: Mapping[str, Any]) -> HttpRequest:
        return request_for(request, corrections)

    def decoder_for(self, request: ProviderRequest, sent: HttpRequest, corrections: Mapping[str, Any]) -> OpenAiDecoder:
        return OpenAiDecoder(
            provider=request.provider.id,
            model=request.model,
            profile=profile_of(request.provider.profile, corrections),
            tool_names=sent.tool_names,
        )

    def models_request_for(self, provider: ProviderConfig) -> tuple[str, dict[str, str]]:
        profile = profile_of(provider.profile)
        url = profile.models_url or models_url(provider.base_url)
        return url, headers_of(provider, key_header=profile.key_header or "authorization")
