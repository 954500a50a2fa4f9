"""D7: time-outs can be set."""

from __future__ import annotations

import pytest

from talkfield.errors import StartFailed
from talkfield.providers.timeout_setting import timeouts_of
from talkfield.providers.transport import Timeouts


def test_D7_what_is_not_set_stays_as_it_is() -> None:
    assert timeouts_of({"TALKFIELD_CONNECT_TIMEOUT_S": ""}) == Timeouts()
    assert (Timeouts().connect_s, Timeouts().first_event_s, Timeouts().no_progress_s) == (15.0, 600.0, 300.0)


def test_D7_each_time_out_has_its_variable() -> None:
    given = {"TALKFIELD_CONNECT_TIMEOUT_S": "2.5", "TALKFIELD_FIRST_EVENT_TIMEOUT_S": "1800"}
    given |= {"TALKFIELD_NO_PROGRESS_TIMEOUT_S": "60"}
    assert timeouts_of(given) == Timeouts(connect_s=2.5, first_event_s=1800.0, no_progress_s=60.0)


@pytest.mark.parametrize("text", ["soon", "0", "-1", "nan", "inf", "1e999"])
def test_X5_nonsense_is_told_at_the_start(text: str) -> None:
    with pytest.raises(StartFailed) as raised:
        timeouts_of({"TALKFIELD_FIRST_EVENT_TIMEOUT_S": text})
    assert "TALKFIELD_FIRST_EVENT_TIMEOUT_S" in raised.value.message
