"""What the machine gives: every kind of id there is can be made."""

from __future__ import annotations

from typing import get_args

from talkfield.core.ids import IdKind
from talkfield.system import PREFIXES


def test_M3_every_kind_of_id_has_a_prefix_of_its_own() -> None:
    assert set(PREFIXES) == set(get_args(IdKind))
    assert len(set(PREFIXES.values())) == len(PREFIXES)
