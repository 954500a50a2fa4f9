"""Says in words why there was no answer over HTTP (D5): name look-up, connection, certificate, proxy, protocol."""

from __future__ import annotations

from talkfield.errors import ProviderError, ProviderGarbled, ProviderRefused, ProviderUnreachable

CERTIFICATE_HINT = "Check the address. On a network with its own certificates, add them to this machine."


def unreachable(error: Exception, origin: str) -> ProviderError:
    """The `ProviderError` for what aiohttp raised before an answer began. `origin` is who was called."""
    import aiohttp

    from talkfield.providers.name_lookup import ForbiddenAddress

    match error:
        case aiohttp.ClientConnectorCertificateError():
            why = error.certificate_error
            message = f"the certificate of {origin} is not to be trusted: {why}"
            return ProviderUnreachable(message, code="bad_certificate", hint=CERTIFICATE_HINT)
        case aiohttp.ClientSSLError():
            return ProviderUnreachable(
                f"no secure connection to {origin}: {_reason(error)}", code="no_tls", hint=CERTIFICATE_HINT
            )
        case aiohttp.ClientConnectorDNSError():
            host = error.host
            if isinstance(error.os_error, ForbiddenAddress):
                message = f"{error.os_error}, which is not an address of a model provider"
                return ProviderRefused(message, code="bad_address", hint="Check the address in Settings.")
            return ProviderUnreachable(f"no machine named {host} was found", retryable=True)
        case aiohttp.ClientConnectorError():
            return ProviderUnreachable(f"no connection to {origin}: {_reason(error)}", retryable=True)
        case aiohttp.ClientHttpProxyError():
            return ProviderUnreachable(f"the proxy answered {error.status} {error.message}", retryable=True)
        case aiohttp.InvalidURL() | aiohttp.NonHttpUrlClientError():
            return ProviderRefused(f"{origin} is not an address that can be called", code="bad_address")
        case aiohttp.ClientResponseError() | aiohttp.ClientPayloadError():
            return ProviderGarbled(f"{origin} does not answer in proper HTTP", retryable=True)
        case _:
            return ProviderUnreachable(f"the connection to {origin} broke before an answer began", retryable=True)


def _reason(error: Exception) -> str:
    """The operating system's words, without aiohttp's wrapping."""
    inner = getattr(error, "os_error", None) or error
    return getattr(inner, "strerror", None) or str(inner) or type(inner).__name__
