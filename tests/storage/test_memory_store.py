"""The store in memory keeps the contract, and a test can make it fail."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from builders import chat
from contracts.store_contract import StoreContract, batch, loaded, project
from talkfield.errors import SaveFailed
from talkfield.storage.base import ProjectStore, WriteBatch
from talkfield.storage.memory import MemoryStore


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self) -> ProjectStore:
        return MemoryStore()


class FullDisk(MemoryStore):
    """Refuses to write while `full`."""

    full = False

    def write(self, batches: Sequence[WriteBatch]) -> None:
        if self.full:
            raise SaveFailed("the disk is full")
        super().write(batches)


def test_W9_failures_can_be_injected_by_a_subclass() -> None:
    store = FullDisk()
    store.add_project(project())
    store.full = True
    with pytest.raises(SaveFailed):
        store.write([batch(chat())])
    assert loaded(store) == {}


def test_records_are_not_shared_with_the_caller() -> None:
    store = MemoryStore()
    store.add_project(project())
    extra = {"a": 1}
    store.write([batch(chat(extra=extra))])
    extra["a"] = 2
    assert loaded(store) == {"n": chat(extra={"a": 1})}
