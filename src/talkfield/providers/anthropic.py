"""The Anthropic wire, `/v1/messages`, as two pure halves and the driver that joins them (D1).

`request_for` makes a request, `AnthropicDecoder` reads its answer; neither does I/O.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talkfield.providers.anthropic_decoder import AnthropicDecoder
from talkfield.providers.anthropic_request import anthropic_headers, request_for
from talkfield.providers.base import HttpDriver
from talkfield.providers.base_url import messages_url, models_url
from talkfield.providers.http_request import HttpRequest
from talkfield.providers.profile import profile_of
from talkfield.runtime.ports import ProviderConfig, ProviderRequest

__all__ = ["AnthropicDecoder", "AnthropicDriver", "request_for"]


class AnthropicDriver(HttpDriver):
    """Anthropic, and whoever speaks `/v1/messages` as well."""

    def call_url(self, provider: ProviderConfig) -> str:
        return messages_url(provider.base_url)

    def request_for(self, request: ProviderRequest, corrections: Mapping[str, Any]) -> HttpRequest:
        return request_for(request, corrections)

    def decoder_for(
        self, request: ProviderRequest, sent: HttpRequest, corrections: Mapping[str, Any]
    ) -> AnthropicDecoder:
        return AnthropicDecoder(
            provider=request.provider.id, model=request.model, prefix=sent.prefix, tool_names=sent.tool_names
        )

    def models_request_for(self, provider: ProviderConfig) -> tuple[str, dict[str, str]]:
        profile = profile_of(provider.profile)
        url = profile.models_url or f"{models_url(provider.base_url, version_at_the_end=True)}?limit=1000"
        return url, anthropic_headers(provider, profile)
