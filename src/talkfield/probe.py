"""`talkfield probe`: what an endpoint accepts, found out by asking it, shown, and kept for the drivers (D13).

The key is taken from the environment, sent to that address alone, and never shown. What is found goes into the settings
as what was learned of this address and model; nothing is written where nothing could be asked.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from talkfield.cli import FAILED, say
from talkfield.core.ids import ProviderId
from talkfield.core.provider_api import APIS, Api
from talkfield.doctor import MARKS
from talkfield.errors import InvalidArgument, ProjectLocked, ProviderError
from talkfield.library import recorder_for
from talkfield.providers.address import checked_base_url
from talkfield.providers.base_url import chat_completions_url, messages_url, origin_of
from talkfield.providers.probe import SUBJECTS, Finding, Probes, Report, State, chosen_model
from talkfield.providers.probe_call import Endpoint
from talkfield.providers.recorder import Recorder
from talkfield.providers.resolve import api_named
from talkfield.providers.vendor import profile_for
from talkfield.runtime.ports import ProviderConfig
from talkfield.storage.folder import DataFolder
from talkfield.storage.settings import ConfigurationFile
from talkfield.system import SystemClock
from talkfield.terminal.screen import Screen, Style

OTHER_WIRE = frozenset({"wrong_wire", "not_found", "web_page"})
"""Codes that an endpoint of the other wire answers with."""


STYLES: dict[State, Style] = {"good": "plain", "note": "warning", "broken": "error"}


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What a person asked for. Without an `api` the endpoint is asked on both wires, without a `model` its first."""

    base_url: str
    model: str | None = None
    api: str | None = None
    key_variable: str | None = None
    dry_run: bool = False
    save: bool = True


async def probe(wish: Wish, environment: Mapping[str, str]) -> int:
    """Probe, show, keep; the exit status: 0 where the endpoint can be chatted with and what was found is kept."""
    base_url = checked_base_url(wish.base_url)
    wanted = api_named(wish.api)
    key = key_in(environment, wish.key_variable)
    if wish.dry_run:
        await asyncio.to_thread(show_plan, base_url, wanted, wish, bool(key))
        return 0
    recorder = await recorder_for(environment, SystemClock())
    provider = ProviderConfig(
        id=ProviderId("probe"),
        name=origin_of(base_url),
        api="",
        base_url=base_url,
        key=key,
        profile=profile_for(base_url),
    )
    endpoint, report = await probed(provider, wanted, wish.model, recorder)
    say(f"{endpoint.calls} calls were made")
    if not report.usable:
        return FAILED
    base = provider.profile
    found = {name: value for name, value in report.profile.items() if base.get(name) != value}
    await asyncio.to_thread(show_profile, found, endpoint)
    if not wish.save:
        return 0
    try:
        await asyncio.to_thread(keep, environment, endpoint.key, found)
    except ProjectLocked:
        say("nothing was kept, because Talkfield is open: close it and probe again, or let it learn from refusals")
        return FAILED
    return 0


async def probed(
    provider: ProviderConfig, wanted: Api | None, model: str | None, recorder: Recorder | None
) -> tuple[Endpoint, Report]:
    """The endpoint as it was probed, on the wire that answers, and what was found."""
    clock = SystemClock()
    others: list[Api] = [api for api in APIS if wanted in (None, api)]
    while True:
        api = others.pop(0)
        observer = recorder.observer(api) if recorder is not None else None
        endpoint = Endpoint(provider, api, model or "", clock, observer=observer)
        try:
            if not model:
                endpoint.model = await chosen_model(endpoint)
            say(f"asking {endpoint.driver.call_url(endpoint.provider)} for {endpoint.model}")
            probes = Probes(endpoint, show)
            report = await probes.run()
            if not others or probes.failed_with not in OTHER_WIRE:
                return endpoint, report
        except ProviderError as error:
            if not others or error.code not in OTHER_WIRE:
                raise
            say(f"on the {api} wire: {error.message}")
        finally:
            await endpoint.close()


def key_in(environment: Mapping[str, str], variable: str | None) -> str:
    """The key in a variable; empty where none is named. Raises `InvalidArgument` where it holds none."""
    if variable is None:
        return ""
    key = environment.get(variable, "").strip().removeprefix("Bearer ").strip()
    if not key:
        raise InvalidArgument(f"The variable {variable} holds no key.", hint=f"Set it, as in: export {variable}=…")
    return key


def keep(environment: Mapping[str, str], endpoint_key: str, found: Mapping[str, Any]) -> None:
    """Write what was found into the settings, in the place of what was known of this address and model.

    Raises `ProjectLocked` where a Talkfield is open: it would write over it.
    """
    data = DataFolder.locate(environment)
    data.create()
    with data.lock():
        file = ConfigurationFile(data.settings)
        current = file.load()
        learned = {name: fields for name, fields in current.learned.items() if name != endpoint_key}
        if found:
            learned[endpoint_key] = dict(found)
        if learned != current.learned:
            file.save(msgspec.structs.replace(current, learned=learned))


# What is shown --------------------------------------------------------------------------------------------------------


def show(finding: Finding) -> None:
    """One line of the report, at once."""
    words = " ".join(finding.words.split())
    line = f"{MARKS[finding.state][0]} {finding.subject:<{max(map(len, SUBJECTS))}}  {words}"
    Screen(sys.stdout).line(line, STYLES[finding.state])


def show_profile(found: Mapping[str, Any], endpoint: Endpoint) -> None:
    if not found:
        print("It takes what Talkfield sends as it is.")
        return
    print(f"Profile of {endpoint.model}: {msgspec.json.encode(found).decode()}")


def plan_urls(base_url: str) -> dict[Api, str]:
    """Where a call would go on each wire."""
    return {"openai": chat_completions_url(base_url), "anthropic": messages_url(base_url)}


def show_plan(base_url: str, wanted: Api | None, wish: Wish, has_key: bool) -> None:
    """Say what would be asked, and ask nothing."""
    for api, url in plan_urls(base_url).items():
        if wanted in (None, api):
            print(f"POST {url} ({api})")
    print(f"model: {wish.model or 'the first in its list'}; key: {'sent' if has_key else 'none'}")
    for subject, words in SUBJECTS.items():
        print(f"  {subject:<{max(map(len, SUBJECTS))}}  {words}")
    print("Nothing was sent.")
