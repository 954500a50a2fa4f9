"""Finds model servers that already run on this machine (Z2): Ollama, LM Studio, llama.cpp, vLLM.

Owns where they usually listen and by what an answer is known to be theirs. Those ports belong to anybody, so nothing is
offered on a guess: a server has to answer `GET /v1/models` in the right form *and* give itself away. Reads only, sends
no key, follows no redirect, and never asks Talkfield's own port.

`look` is one round; `Discovery` repeats it by the injected clock until it is closed. A round is four connections that
are mostly refused at once; it never takes longer than half a second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import msgspec

from talkfield.core.ids import ProviderId
from talkfield.core.messages import ModelInfo
from talkfield.providers.address import is_own
from talkfield.runtime.ports import Clock

if TYPE_CHECKING:
    import aiohttp

switch_variable = "TALKFIELD_DISCOVER"
ollama_variable = "OLLAMA_HOST"
"""Where a person told Ollama to listen, or its clients to look; in any of the forms that Ollama takes."""

period_s = 30.0
answer_limit_s = 0.5
max_answer_bytes = 1024 * 1024
max_models = 500


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A server that may run at an origin."""

    provider: ProviderId
    name: str
    origin: str


@dataclass(frozen=True, kw_only=True)
class Found:
    """A server that does run. `base_url` ends in `/v1`."""

    provider: ProviderId
    name: str
    base_url: str
    models: tuple[ModelInfo, ...]


class ModelEntry(msgspec.Struct, frozen=True):
    """The part of a `/v1/models` entry that is looked at."""

    id: str
    owned_by: str = ""
    max_model_len: int | None = None
    meta: dict[str, Any] | None = None


class ModelList(msgspec.Struct, frozen=True):
    """The form of `/v1/models`. Ollama without a model says `data: null`."""

    object: str
    data: list[ModelEntry] | None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a candidate said: its list of models, its `Server` header, and what `/api/version` gave."""

    models: ModelList
    server: str
    has_ollama_version: bool


def candidates(environment: Mapping[str, str]) -> tuple[Candidate, ...]:
    """Where to look."""
    return (
        Candidate(provider=ProviderId("ollama"), name="Ollama", origin=ollama_origin(environment)),
        Candidate(provider=ProviderId("lmstudio"), name="LM Studio", origin="http://127.0.0.1:1234"),
        Candidate(provider=ProviderId("llamacpp"), name="llama.cpp", origin="http://127.0.0.1:8080"),
        Candidate(provider=ProviderId("vllm"), name="vLLM", origin="http://127.0.0.1:8000"),
    )


def switched_off(environment: Mapping[str, str]) -> bool:
    """Whether the person wants no search."""
    return environment.get(switch_variable, "").strip().lower() in {"0", "off", "no", "false"}


def ollama_origin(environment: Mapping[str, str]) -> str:
    """Where Ollama is. An address that a server may listen on but nobody can call (`0.0.0.0`) means this machine."""
    value = environment.get(ollama_variable, "").strip().strip("\"'")
    scheme, slashes, rest = value.rpartition("://")
    host, _, port = rest.partition("/")[0].rpartition(":") if ":" in rest.rpartition("]")[2] else (rest, "", "")
    host = host.partition("/")[0]
    if host in {"", "0.0.0.0", "[::]", "::"}:  # noqa: S104 - compared, not bound
        host = "127.0.0.1"
    scheme = scheme if scheme in {"http", "https"} else "http"
    default = ({"http": "80", "https": "443"}[scheme]) if slashes else "11434"
    return f"{scheme}://{host}:{port if port.isdecimal() and 0 < int(port) < 65536 else default}"


def recognised(candidate: Candidate, answer: Answer) -> Found | None:
    """The server behind an answer, None where it does not give itself away as one of the four.

    Which port it was found on proves nothing: llama.cpp may listen where vLLM usually does.
    """
    entries = (answer.models.data or [])[:max_models]
    owners = {entry.owned_by for entry in entries}
    if answer.has_ollama_version:
        provider, name = "ollama", "Ollama"
    elif "llamacpp" in owners or answer.server.lower().startswith("llama.cpp"):
        provider, name = "llamacpp", "llama.cpp"
    elif "vllm" in owners:
        provider, name = "vllm", "vLLM"
    elif "organization_owner" in owners:
        provider, name = "lmstudio", "LM Studio"
    else:
        return None
    return Found(
        provider=ProviderId(provider),
        name=name,
        base_url=f"{candidate.origin}/v1",
        models=tuple(ModelInfo(id=entry.id, context_tokens=_context(entry)) for entry in entries),
    )


def _context(entry: ModelEntry) -> int | None:
    if entry.max_model_len:
        return entry.max_model_len
    tokens = (entry.meta or {}).get("n_ctx")
    return tokens if isinstance(tokens, int) and tokens > 0 else None


class Discovery:
    """Looks again every `period_s`. `changed` is called with what runs, when that is not what ran before.

    `own_ports` are those Talkfield itself listens on by now.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        environment: Mapping[str, str],
        changed: Callable[[tuple[Found, ...]], None],
        own_ports: Callable[[], Collection[int]] = tuple,
        places: tuple[Candidate, ...] | None = None,
    ) -> None:
        self.found: tuple[Found, ...] = ()
        self._clock = clock
        self._changed = changed
        self._own_ports = own_ports
        self._places = () if switched_off(environment) else places or candidates(environment)
        self._looking: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin; the first round is under way when this returns."""
        if self._looking is None and self._places:
            self._looking = asyncio.create_task(self._look_on())

    async def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait({self._looking})

    async def _look_on(self) -> None:
        # A quarter of a second that neither the start nor the event loop should wait for.
        await asyncio.to_thread(import_module, "aiohttp")
        import aiohttp

        # Proxies of the environment are for the outside: this only ever speaks to servers a person runs.
        async with aiohttp.ClientSession(trust_env=False, cookie_jar=aiohttp.DummyCookieJar()) as session:
            while True:
                found = await look(self._places, session, own_ports=self._own_ports())
                if found != self.found:
                    self.found = found
                    self._changed(found)
                await self._clock.sleep_s(period_s)


async def look(
    places: Collection[Candidate], session: aiohttp.ClientSession, *, own_ports: Collection[int] = ()
) -> tuple[Found, ...]:
    """One round over all places at once. A server reached by two of them is told once."""
    asked = [place for place in places if not _is_own(place, own_ports)]
    answers = await asyncio.gather(*(_ask(place, session) for place in asked))
    found: dict[str, Found] = {}
    for place, answer in zip(asked, answers, strict=True):
        known = recognised(place, answer) if answer else None
        if known and known.provider not in found:
            found[known.provider] = known
    return tuple(found.values())


def _is_own(place: Candidate, own_ports: Collection[int]) -> bool:
    host, _, port = place.origin.partition("://")[2].rpartition(":")
    return is_own(host, int(port), own_ports)


async def _ask(place: Candidate, session: aiohttp.ClientSession) -> Answer | None:
    """What is said at a place, None where nobody answers in the form of `/v1/models`."""
    import aiohttp

    with suppress(aiohttp.ClientError, OSError, TimeoutError, msgspec.DecodeError, ValueError):
        async with asyncio.timeout(answer_limit_s):
            body, server = await _get(session, f"{place.origin}/v1/models")
            models = msgspec.json.decode(body, type=ModelList)
            if models.object != "list":
                return None
            has_version = place.provider == "ollama" and await _has_ollama_version(session, place.origin)
            return Answer(models=models, server=server, has_ollama_version=has_version)
    return None


async def _has_ollama_version(session: aiohttp.ClientSession, origin: str) -> bool:
    import aiohttp

    with suppress(aiohttp.ClientError, msgspec.DecodeError):
        body, _ = await _get(session, f"{origin}/api/version")
        return isinstance(msgspec.json.decode(body, type=dict[str, Any]).get("version"), str)
    return False


async def _get(session: aiohttp.ClientSession, url: str) -> tuple[bytes, str]:
    """Body and `Server` header of a 200 answer. Raises `ClientError` for any other, and for one that is too long."""
    import aiohttp

    async with session.get(url, allow_redirects=False, headers={"Accept": "application/json"}) as response:
        if response.status != 200:
            raise aiohttp.ClientPayloadError(f"answered {response.status}")
        body = await response.content.read(max_answer_bytes + 1)
        while len(body) <= max_answer_bytes and (more := await response.content.read(max_answer_bytes + 1)):
            body += more
        if len(body) > max_answer_bytes:
            raise aiohttp.ClientPayloadError("answered more than a list of models")
        return body, response.headers.get("Server", "")
