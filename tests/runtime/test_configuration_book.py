from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import msgspec
import pytest

from talkfield.core.records import SettingsRecord
from talkfield.errors import SaveFailed
from talkfield.runtime.config import Configuration
from talkfield.runtime.configuration_book import ConfigurationBook


class Shelf:
    """A configuration store that can be slow, or full."""

    def __init__(self) -> None:
        self.saved: list[Configuration] = []
        self.full = False
        self.may_save = threading.Event()
        self.may_save.set()
        self.saving = threading.Event()

    def load(self) -> Configuration:
        return Configuration()

    def save(self, configuration: Configuration) -> None:
        self.saving.set()
        self.may_save.wait(5)
        if self.full:
            raise SaveFailed("the disk is full")
        self.saved.append(configuration)


def more_calls(configuration: Configuration) -> Configuration:
    settings = configuration.settings
    return with_settings(
        configuration, lambda: msgspec.structs.replace(settings, max_provider_calls=calls(configuration) + 1)
    )


def with_settings(configuration: Configuration, settings: Callable[[], SettingsRecord]) -> Configuration:
    return msgspec.structs.replace(configuration, settings=settings())


def calls(configuration: Configuration) -> int:
    return configuration.settings.max_provider_calls


async def test_W15_updates_at_once_build_on_each_other() -> None:
    shelf = Shelf()
    book = ConfigurationBook(shelf, shelf.load())
    await asyncio.gather(*(book.update(more_calls) for _ in range(5)))

    assert calls(book.current) == 15
    assert [calls(saved) for saved in shelf.saved] == [11, 12, 13, 14, 15]


async def test_W15_listeners_hear_of_a_change_once_it_is_saved_and_of_nothing_else() -> None:
    shelf = Shelf()
    book = ConfigurationBook(shelf, shelf.load())
    heard: list[tuple[int, int]] = []
    unwatch = book.watch(lambda: heard.append((calls(book.current), len(shelf.saved))))

    await book.update(more_calls)
    await book.update(lambda current: current)
    unwatch()
    await book.update(more_calls)
    assert heard == [(11, 1)]


async def test_W9_what_could_not_be_saved_does_not_count() -> None:
    shelf = Shelf()
    book = ConfigurationBook(shelf, shelf.load())
    heard: list[int] = []
    book.watch(lambda: heard.append(1))
    shelf.full = True
    with pytest.raises(SaveFailed):
        await book.update(more_calls)

    assert (book.current, heard) == (Configuration(), [])
    shelf.full = False
    assert calls(await book.update(more_calls)) == 11


@pytest.mark.parametrize("full", [False, True])
async def test_W9_memory_and_disk_agree_when_the_asker_leaves(full: bool) -> None:
    shelf = Shelf()
    shelf.full = full
    shelf.may_save.clear()
    book = ConfigurationBook(shelf, shelf.load())
    asking = asyncio.create_task(book.update(more_calls))
    await asyncio.to_thread(shelf.saving.wait, 5)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    shelf.may_save.set()
    shelf.full = full
    await book.update(lambda current: current)  # waits for its turn

    assert book.current == (Configuration() if full else shelf.saved[-1])
    assert calls(book.current) == (10 if full else 11)
