"""Each wire is known wherever one is chosen (D1): what a new one still lacks is named here."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import pytest

from talkfield.core.provider_api import APIS, Api
from talkfield.probe import plan_urls
from talkfield.providers import PROVIDERS
from talkfield.providers.answer_reading import READERS
from talkfield.providers.probe import EFFORT_WAYS
from talkfield.providers.probe_call import DRIVERS


@pytest.mark.parametrize("api", APIS)
def test_D1_a_wire_is_known_wherever_one_is_chosen(api: Api) -> None:
    places: dict[str, Container[Any]] = {
        "PROVIDERS in providers/__init__.py": PROVIDERS,
        "DRIVERS in providers/probe_call.py": DRIVERS,
        "READERS in providers/answer_reading.py": READERS,
        "EFFORT_WAYS in providers/probe.py": EFFORT_WAYS,
        "plan_urls in probe.py": plan_urls("https://api.example.com/v1"),
    }
    assert [place for place, known in places.items() if api not in known] == []


def test_D1_no_wire_is_known_that_has_no_name() -> None:
    assert PROVIDERS.keys() == DRIVERS.keys() == READERS.keys() == set(APIS)
