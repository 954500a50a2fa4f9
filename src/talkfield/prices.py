"""The built-in price table: the one of the `genai-prices` package, kept up to date by others (P3).

Owns the way from a model's name to an entry of that package, and the entry's translation into a `Price`. Strict where
the package is generous: an entry that matches by a prefix or a part of the name counts only if what is left over is a
date, a revision or the like, so a new model is unknown, never "some gpt". Never goes to the network: prices change
with the installed version of the package.

The package is large (0.2 s, 27 MB) and is imported when a price is first asked for, or by `load`, which a server
calls in a thread while it starts. Lookups are remembered. Safe to use from any thread.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from talkfield.core import cost
from talkfield.core.cost import CostReport, Price, PriceTier, Rates, TableMatch, normal_name
from talkfield.core.messages import MessageBody
from talkfield.core.records import PriceOverride

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice, Provider

EMBEDDED_PROVIDER = "local"
"""The id of the embedded model's provider: it runs in this process's charge and costs nothing."""

OTHER_NAMES = {
    "gemini": "google",
    "google-ai-studio": "google",
    "meta-llama": "meta",
    "mistralai": "mistral",
    "moonshot": "moonshotai",
    "together-ai": "together",
    "togetherai": "together",
    "vertex": "google",
    "xai": "x-ai",
    "z-ai": "zai",
    "zhipu": "zhipuai",
}
"""Names that services go by elsewhere, and their ids in the package."""

SAME_MODEL = re.compile(
    r"""(?: [-@:]? {part} )? (?: [-@:] {part} )*""".replace(
        "{part}",
        r"""(?> \d{8} | \d{6} | \d{4}-\d{2}-\d{2} | \d{2}-\d{4} | \d{2}-\d{2} | \d{3,4}
            | v\d+ (?: [.:]\d+ )? | latest | preview | experimental | exp | beta | instruct )""",
    ),
    re.VERBOSE,
)
"""What may follow the part of a name that an entry matches without making it another model: dates and revisions."""

MAX_NAME_CHARACTERS = 200
"""No model has a longer name."""

COMPACT_DATE = re.compile(r"-(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$")

CLOSED_MAKERS = frozenset({"anthropic", "google", "openai", "x-ai"})
OPEN_WEIGHTS = re.compile(r"gpt-oss|gemma")

PRIVATE_ENDINGS = (".local", ".localhost", ".internal", ".lan", ".home.arpa")

FREE = Rates(input=Decimal(0), output=Decimal(0))


@dataclass(frozen=True)
class Entry:
    """A model of the package, under the provider whose list it is in, and how much of the asked name it matched."""

    provider: str
    model: ModelInfo
    length: int


class GenaiPrices:
    """The package as a `PriceTable`, and what else it knows of models."""

    def load(self) -> None:
        """Import the package now, so that no later lookup has to wait for it."""
        package()

    def find(self, model: str, *, provider: str = "", base_url: str = "", at: int | None = None) -> TableMatch | None:
        """The price of a model: of the service at `base_url` or named `provider`, else of the model's own maker.

        A service that the package lists has its listed models alone; one it does not list has what only their maker
        runs. A server on this machine or in a private network has none: what it charges, if anything, only its owner
        knows. `at` is epoch ms; None means now.
        """
        if provider == EMBEDDED_PROVIDER:
            return TableMatch(Price(rates=FREE, price_id=EMBEDDED_PROVIDER), len(normal_name(model)))
        entry = entry_for(normal_name(model), provider.lower(), base_url)
        if entry is None:
            return None
        price = price_of(entry, moment(at))
        return None if price is None else TableMatch(price, entry.length)

    def context_limit(self, model: str, *, provider: str = "", base_url: str = "") -> int | None:
        """The model's context window in tokens, or None where it is not known.

        It is the model's own, whoever runs it; but a server of one's own may have been started with a smaller one.
        """
        name = normal_name(model)
        if is_private(base_url):
            return None
        for entry in (entry_for(name, provider.lower(), base_url), entry_for(name, "", "")):
            if entry is not None and entry.model.context_window is not None:
                return entry.model.context_window
        return None


DEFAULT_PRICES = GenaiPrices()


def context_limit(model: str, *, provider: str = "", base_url: str = "") -> int | None:
    """The model's context window in tokens, or None where it is not known."""
    return DEFAULT_PRICES.context_limit(model, provider=provider, base_url=base_url)


def price_for(model: str, overrides: Sequence[PriceOverride] = (), *, provider: str = "") -> Price | None:
    """The price of a model today: a person's own, else the built-in one, else None (P2, P3)."""
    return cost.price_for(model, overrides, DEFAULT_PRICES, provider=provider)


def conversation_cost(
    messages: Iterable[MessageBody], model: str = "", overrides: Sequence[PriceOverride] = ()
) -> CostReport:
    """What a conversation used and cost so far, by a person's own prices and the built-in ones (P5)."""
    return cost.conversation_cost(messages, model, overrides, DEFAULT_PRICES)


# Finding the entry ---------------------------------------------------------------------------------------------------


@cache
def package() -> dict[str, Provider]:
    """The package's providers by id."""
    from genai_prices.data import providers

    return {provider.id: provider for provider in providers}


@lru_cache(maxsize=1024)
def entry_for(name: str, provider: str, base_url: str) -> Entry | None:
    """The entry for a model's name (in lower case), or None when it is not surely known."""
    if len(name) > MAX_NAME_CHARACTERS or is_private(base_url):
        return None
    service = service_at(base_url) if base_url else service_named(provider)
    if service is not None:
        return best_entry([service, *fallbacks(service)], name)
    entry = entry_by_maker(name.removeprefix("models/"))
    if entry is not None and base_url and not is_resold_alike(entry):
        return None
    return entry


def is_resold_alike(entry: Entry) -> bool:
    """Whether a service that the package does not know charges what the model's maker does.

    For models that only their maker runs, resellers pass its price on. Open weights everyone runs at a price of their
    own.
    """
    return entry.provider in CLOSED_MAKERS and not OPEN_WEIGHTS.search(entry.model.id)


def service_at(base_url: str) -> Provider | None:
    address = with_scheme(base_url).lower()
    return next((service for service in package().values() if re.match(service.api_pattern, address)), None)


def service_named(name: str) -> Provider | None:
    return package().get(OTHER_NAMES.get(name, name))


def fallbacks(service: Provider) -> list[Provider]:
    """Services whose models this one offers too, at their prices."""
    return [package()[other] for other in service.fallback_model_providers or ()]


def entry_by_maker(name: str) -> Entry | None:
    """The entry of whoever makes the model: named before a slash, as routers do, or known by the model's name."""
    maker, slash, rest = name.partition("/")
    service = service_named(maker) if slash else None
    if service is not None and (entry := best_entry([service], rest)):
        return Entry(entry.provider, entry.model, entry.length + len(maker) + 1)
    if slash and (entry := best_entry([package()["openrouter"]], name)):
        return entry
    makers = [
        service
        for service in package().values()
        if service.model_match is not None and service.model_match.is_match(name)
    ]
    return best_entry(makers, name)


def best_entry(services: list[Provider], name: str) -> Entry | None:
    """The first service's best match: the whole name if listed, else the entry that accounts for most of it."""
    for service in services:
        for written in spellings(name):
            found = [(matched_length(model, written), model) for model in service.models]
            length, model = max(found, key=lambda pair: pair[0], default=(0, None))
            if model is not None and length > 0:
                return Entry(service.id, model, min(length, len(name)))
    return None


def spellings(name: str) -> Iterator[str]:
    """The name as it is, and with its date as most lists write it: routers send `-20251211` for `-2025-12-11`."""
    yield name
    if COMPACT_DATE.search(name):
        yield COMPACT_DATE.sub(r"-\1-\2-\3", name)


def matched_length(model: ModelInfo, name: str) -> int:
    """How many of the name's characters the entry accounts for; 0 when it is not surely this model."""
    if not model.is_match(name):
        return 0
    length = reach(model.match, name)
    return length if SAME_MODEL.fullmatch(name, length) else 0


def reach(clause: Any, name: str) -> int:
    """Up to where in the name a matching clause says something; 0 where it does not match."""
    if not clause.is_match(name):
        return 0
    kind = type(clause).__name__
    if kind == "ClauseOr":
        return max(reach(part, name) for part in clause.or_)
    if kind == "ClauseAnd":
        return max(reach(part, name) for part in clause.and_)
    if kind == "ClauseStartsWith":
        # A fine-tuned model ends in its owner's own words.
        return len(name) if clause.starts_with.startswith("ft:") else len(clause.starts_with)
    if kind == "ClauseContains":
        start = name.index(clause.contains.lower())
        return start + len(clause.contains) if start == 0 or name[start - 1] in "/." else 0
    if kind == "ClauseRegex":
        match = re.search(clause.regex, name)
        return match.end() if match else 0
    return len(name)  # equals, ends with


def is_private(base_url: str) -> bool:
    """Whether the address is on this machine or in a private network; also when it cannot be read."""
    if not base_url:
        return False
    try:
        host = urlsplit(with_scheme(base_url)).hostname or ""
    except ValueError:
        return True
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return "." not in host or host.endswith(PRIVATE_ENDINGS)


def with_scheme(base_url: str) -> str:
    return base_url if "://" in base_url else f"https://{base_url}"


# Translating it ------------------------------------------------------------------------------------------------------


def moment(at: int | None) -> datetime:
    """Epoch milliseconds as a date; now where there is none, or none that a calendar has."""
    if at is not None:
        try:
            return datetime.fromtimestamp(at / 1000, UTC)
        except (OverflowError, ValueError, OSError):
            pass
    return datetime.now(UTC)


def price_of(entry: Entry, when: datetime) -> Price | None:
    """The entry's price at a time; None for what is not charged by tokens in and out."""
    listed = entry.model.get_prices(when)
    price_id = f"{entry.provider}:{entry.model.id}"
    if entry.model.id.endswith(":free"):
        return Price(rates=FREE, price_id=price_id)
    base = rates_at(listed, 0)
    if base is None:
        return None
    thresholds = sorted({tier.start for value in vars(listed).values() for tier in getattr(value, "tiers", ())})
    tiers = [
        PriceTier(above_input_tokens=start, rates=rates)
        for start in thresholds
        if (rates := rates_at(listed, start + 1)) is not None
    ]
    per_thousand_calls = amount_at(listed, "requests_kcount", 0)
    return Price(
        rates=base,
        tiers=tuple(tiers),
        per_call_usd=(per_thousand_calls or Decimal(0)) / 1000,
        price_id=price_id,
    )


def rates_at(listed: ModelPrice, input_tokens: int) -> Rates | None:
    """The rates of a call with that much input."""
    input_rate = amount_at(listed, "input_mtok", input_tokens)
    output_rate = amount_at(listed, "output_mtok", input_tokens)
    if input_rate is None or output_rate is None:
        return None
    return Rates(
        input=input_rate,
        output=output_rate,
        cache_read=amount_at(listed, "cache_read_mtok", input_tokens),
        cache_write=amount_at(listed, "cache_write_mtok", input_tokens),
        reasoning=amount_at(listed, "output_reasoning_mtok", input_tokens),
    )


def amount_at(listed: ModelPrice, name: str, input_tokens: int) -> Decimal | None:
    value: Any = vars(listed).get(name)
    if value is None or isinstance(value, Decimal):
        return value
    amount: Decimal = value.base
    for tier in value.tiers:
        if input_tokens > tier.start:
            amount = tier.price
    return amount
