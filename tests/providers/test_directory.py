from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from providers.provider_doubles import HandClock, settle, until
from talkfield.core.ids import ProviderId
from talkfield.core.messages import ModelInfo
from talkfield.core.records import SETTINGS_ID, ProviderRecord, SettingsRecord, provider_record_id
from talkfield.errors import InvalidArgument, NoProvider, ProviderRefused, SaveFailed, UnknownThing
from talkfield.providers.directory import Directory
from talkfield.providers.discover import Candidate
from talkfield.providers.local import LocalModel
from talkfield.providers.scripted import ScriptedDriver
from talkfield.providers.vendor import VENDORS
from talkfield.runtime.config import Configuration, ProviderChange, ProviderSettings
from talkfield.runtime.configuration_book import ConfigurationBook
from talkfield.runtime.ports import Driver, ProviderConfig

child_file = Path(__file__).with_name("scripted_child.py")


class MemoryConfiguration:
    """A configuration store; `full` makes it refuse."""

    def __init__(self, stored: Configuration) -> None:
        self.stored = stored
        self.full = False

    def load(self) -> Configuration:
        return self.stored

    def save(self, configuration: Configuration) -> None:
        if self.full:
            raise SaveFailed("the disk is full")
        self.stored = configuration


class MemorySecrets:
    """A secret store, which gives a key for its own origin alone."""

    def __init__(self, **keys: tuple[str, str]) -> None:
        self.keys = {ProviderId(name): key for name, key in keys.items()}
        self.full = False
        self.broken = False

    def get(self, provider: ProviderId, origin: str) -> str | None:
        if self.broken:
            raise OSError("the keyring is locked")
        at, key = self.keys.get(provider, ("", ""))
        return key if at == origin else None

    def put(self, provider: ProviderId, origin: str, key: str) -> None:
        if self.full:
            raise SaveFailed("the disk is full")
        self.keys[provider] = (origin, key)

    def remove(self, provider: ProviderId) -> None:
        self.keys.pop(provider, None)


class Asking(ScriptedDriver):
    """A scripted driver whose list of models is told by a test: models, or an error."""

    def __init__(self) -> None:
        super().__init__()
        self.answer: list[ModelInfo] | Exception = [ModelInfo(id="m1"), ModelInfo(id="m2")]
        self.asked: list[ProviderConfig] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def models(self, provider: ProviderConfig) -> list[ModelInfo]:
        self.asked.append(provider)
        await self.may_answer.wait()
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@dataclass
class Desk:
    """A directory with all that was put into it."""

    directory: Directory
    store: MemoryConfiguration
    secrets: MemorySecrets
    clock: HandClock
    driver: Asking
    book: ConfigurationBook
    log: list[str] = field(default_factory=list)
    changes: list[tuple[ProviderRecord, ...]] = field(default_factory=list)

    def ids(self) -> list[str]:
        return [record.provider for record in self.directory.records()]

    def record(self, provider: str) -> ProviderRecord:
        return next(record for record in self.directory.records() if record.provider == provider)

    def config(self, provider: str | None = None) -> ProviderConfig:
        found = self.directory.resolve(ProviderId(provider) if provider else None)
        assert found is not None
        return found


@asynccontextmanager
async def desk(
    *settings: ProviderSettings,
    secrets: MemorySecrets | None = None,
    environment: Mapping[str, str] | None = None,
    local: LocalModel | None = None,
    scripted: bool = False,
    places: tuple[Candidate, ...] = (),
    default: str | None = None,
    more_drivers: Mapping[str, Callable[[], Driver]] | None = None,
) -> AsyncIterator[Desk]:
    chosen = SettingsRecord(id=SETTINGS_ID, default_provider=ProviderId(default) if default else None)
    store = MemoryConfiguration(Configuration(settings=chosen, providers=settings))
    kept, clock, driver, log = secrets or MemorySecrets(), HandClock(), Asking(), list[str]()
    book = ConfigurationBook(store, store.load())
    directory = Directory(
        book=book,
        secrets=kept,
        environment={"TALKFIELD_DISCOVER": "" if places else "0", **(environment or {})},
        clock=clock,
        drivers={"openai": lambda: driver, "anthropic": lambda: driver, **(more_drivers or {})},
        vendors=VENDORS,
        local=local,
        scripted=scripted,
        log=log.append,
        own_ports=lambda: (8765,),
        places=places or None,
    )
    made = Desk(directory, store, kept, clock, driver, book, log)
    directory.watch(lambda: made.changes.append(directory.records()))
    try:
        await directory.start()
        yield made
    finally:
        driver.may_answer.set()
        await directory.close()


def own(provider: str = "work", base_url: str = "https://llm.work.example/v1", **more: Any) -> ProviderSettings:
    return ProviderSettings(
        id=ProviderId(provider), **{"name": provider.title(), "api": "openai", "base_url": base_url, **more}
    )


work_key = ("https://llm.work.example:443", "sk-0123456789abcdef")


def change(**more: Any) -> ProviderChange:
    return ProviderChange(**{"name": "New", "api": "openai", "base_url": "https://new.example/v1", **more})


# Listing and choosing


async def test_X2_a_record_tells_all_but_the_key() -> None:
    async with desk(own(model="m1"), secrets=MemorySecrets(work=work_key)) as made:
        assert made.directory.records() == (
            ProviderRecord(
                id=provider_record_id(ProviderId("work")),
                provider=ProviderId("work"),
                name="Work",
                api="openai",
                base_url="https://llm.work.example/v1",
                origin="settings",
                status="unknown",
                model="m1",
                takes=("text", "image", "document", "audio"),
                key_hint="cdef",
            ),
        )
        assert made.config("work").key == "sk-0123456789abcdef"


async def test_R2_the_scripted_one_comes_first_where_it_is_on_then_the_users_own(tmp_path: Path) -> None:
    async with desk(
        own("work"),
        environment={"TALKFIELD_PROVIDER_URL_BOX": "http://10.0.0.5/v1"},
        local=local_model(tmp_path),
        scripted=True,
    ) as made:
        assert made.ids() == ["scripted", "work", "box", "local"]
        assert [record.origin for record in made.directory.records()] == [
            "scripted",
            "settings",
            "environment",
            "local",
        ]


async def test_R2_without_a_choice_the_default_answers_else_the_first_that_can() -> None:
    async with desk(own("first", "file:///x"), own("second"), own("third"), default="third") as made:
        assert made.config().id == "third"

        await made.book.update(lambda current: with_default(current, "gone"))
        assert made.config().id == "second"
        assert made.directory.resolve(ProviderId("first")) is None
        assert made.record("first").status == "failed"


async def test_R2_providers_come_in_the_order_that_a_person_gave_them_and_the_first_answers() -> None:
    async with desk(own("first"), own("second"), own("third")) as made:
        heard: list[int] = []
        made.directory.watch(lambda: heard.append(1))
        await made.book.update(lambda current: with_order(current, "gone", "third"))
        assert made.ids() == ["third", "first", "second"]
        assert made.config().id == "third"
        assert heard == [1]


async def test_U15_a_key_in_the_environment_without_a_model_does_not_answer_unasked(tmp_path: Path) -> None:
    async with desk(local=local_model(tmp_path), environment={"OPENAI_API_KEY": "sk-0123456789abcdef"}) as made:
        assert made.ids() == ["openai", "local"]
        assert made.config().id == "local"
        assert made.config("openai").key == "sk-0123456789abcdef"


async def test_R2_nothing_is_chosen_where_nothing_can_answer() -> None:
    async with desk() as made:
        assert made.directory.resolve(None) is None
        assert made.directory.resolve(ProviderId("gone")) is None


async def test_R2_a_provider_that_failed_is_not_chosen_unasked_but_still_asked_by_name() -> None:
    async with desk(own("first"), own("second")) as made:
        made.driver.answer = ProviderRefused("no such key", status=401)
        await made.directory.refresh(ProviderId("first"))

        assert made.config().id == "second"
        assert made.config("first").id == "first"


async def test_D1_a_driver_serves_all_providers_of_its_wire() -> None:
    async with desk(own("first"), own("second"), more_drivers={"anthropic": ScriptedDriver}) as made:
        first, second = (made.directory.driver_for(made.config(name)) for name in ("first", "second"))
        other = made.directory.driver_for(ProviderConfig(id=ProviderId("x"), name="x", api="anthropic", base_url=""))

        assert first is second is made.driver
        assert other is not first
        with pytest.raises(NoProvider, match="grpc"):
            made.directory.driver_for(ProviderConfig(id=ProviderId("x"), name="x", api="grpc", base_url=""))
    assert made.driver.closed


async def test_X2_a_keyring_that_fails_is_told_and_stops_nothing() -> None:
    secrets = MemorySecrets(work=work_key)
    secrets.broken = True
    async with desk(own(), secrets=secrets) as made:
        assert made.record("work").status == "failed"
        assert made.record("work").message == "Its key could not be read: the keyring is locked"
        assert made.config("work").key == ""


# Adding, changing, removing


async def test_D14_a_new_provider_is_kept_with_its_key_and_asked_for_its_models() -> None:
    async with desk() as made:
        provider = await made.directory.save(
            change(name="  My   Box ", key=" Bearer sk-0123456789abcdef ", model=" m1 ")
        )
        await until(lambda: made.record(provider).status == "ready")

        assert provider == "my-box"
        assert made.store.stored.providers == (own("my-box", "https://new.example/v1", name="My Box", model="m1"),)
        assert made.secrets.keys == {"my-box": ("https://new.example:443", "sk-0123456789abcdef")}
        assert made.config(provider) == made.driver.asked[0]
        assert made.driver.asked[0].key == "sk-0123456789abcdef"
        assert made.record(provider).models == (ModelInfo(id="m1"), ModelInfo(id="m2"))
        assert "0123456789" not in repr(made.changes)


async def test_D14_two_of_one_name_are_two_providers() -> None:
    async with desk() as made:
        assert [await made.directory.save(change(name=name)) for name in ("A", "A", "Local", "Ollama")] == [
            "a",
            "a-2",
            "local-2",
            "ollama-2",
        ]


async def test_D14_a_change_keeps_what_it_does_not_name() -> None:
    old = own(profile={"tools": False}, headers={"X-Team": "a"})
    async with desk(old, secrets=MemorySecrets(work=work_key)) as made:
        await made.directory.save(
            change(provider=ProviderId("work"), name="Job", base_url="https://llm.work.example/v2", model="m9")
        )

        assert made.store.stored.providers == (
            own(
                "work",
                "https://llm.work.example/v2",
                name="Job",
                model="m9",
                profile={"tools": False},
                headers={"X-Team": "a"},
            ),
        )
        assert made.config("work").key == "sk-0123456789abcdef"


async def test_check_46_D15_neither_key_nor_headers_follow_to_another_address() -> None:
    async with desk(own(headers={"X-Secret": "a"}), secrets=MemorySecrets(work=work_key)) as made:
        await made.directory.save(change(provider=ProviderId("work")))

        assert (made.config("work").key, made.config("work").headers) == ("", {})
        assert made.record("work").key_hint == ""


async def test_check_46_D15_a_stored_key_is_not_sent_where_the_environment_points() -> None:
    environment = {"TALKFIELD_PROVIDER_URL_WORK": "https://elsewhere.example"}
    async with desk(own(), secrets=MemorySecrets(work=work_key), environment=environment) as made:
        assert (made.config("work").base_url, made.config("work").key) == ("https://elsewhere.example", "")


async def test_X2_an_empty_key_removes_the_stored_one() -> None:
    async with desk(own(), secrets=MemorySecrets(work=work_key)) as made:
        await made.directory.save(change(provider=ProviderId("work"), base_url="https://llm.work.example/v1", key=""))

        assert made.secrets.keys == {}
        assert made.config("work").key == ""


@pytest.mark.parametrize(
    ("bad", "place"),
    [
        ({"name": "  "}, "name"),
        ({"name": "x" * 81}, "name"),
        ({"api": "grpc"}, "api"),
        ({"base_url": "http://169.254.169.254/"}, "baseUrl"),
        ({"base_url": "http://localhost:8765"}, "baseUrl"),
        ({"base_url": "http://user@host/"}, "baseUrl"),
        ({"key": "two\nlines"}, "key"),
        ({"key": "ключ"}, "key"),
        ({"provider": ProviderId("scripted")}, "provider"),
    ],
)
async def test_X5_bad_input_names_its_place_and_changes_nothing(bad: dict[str, Any], place: str) -> None:
    async with desk(own(), secrets=MemorySecrets(work=work_key), scripted=True) as made:
        before = made.directory.records()
        with pytest.raises(InvalidArgument) as raised:
            await made.directory.save(change(**bad))

        assert raised.value.place == place
        assert "lines" not in str(raised.value)
        assert (made.directory.records(), made.secrets.keys) == (before, {"work": work_key})


async def test_X5_a_provider_that_is_not_there_cannot_be_changed() -> None:
    async with desk() as made:
        for doing in (
            made.directory.save(change(provider=ProviderId("gone"))),
            made.directory.remove(ProviderId("gone")),
            made.directory.refresh(ProviderId("gone")),
        ):
            with pytest.raises(UnknownThing, match="there is no provider gone"):
                await doing


async def test_W9_a_full_disk_leaves_key_and_settings_as_they_were() -> None:
    async with desk(own(), secrets=MemorySecrets(work=work_key)) as made:
        before = made.directory.records()
        made.store.full = True
        for doing in (
            made.directory.save(change(provider=ProviderId("work"), key="sk-another-one")),
            made.directory.save(change(key="sk-another-one")),
            made.directory.remove(ProviderId("work")),
        ):
            with pytest.raises(SaveFailed):
                await doing

        assert made.directory.records() == before
        assert made.secrets.keys == {"work": work_key}


async def test_W9_a_key_that_cannot_be_kept_adds_no_provider() -> None:
    async with desk() as made:
        made.secrets.full = True
        with pytest.raises(SaveFailed):
            await made.directory.save(change(key="sk-another-one"))

        assert made.store.stored.providers == ()


async def test_X2_removing_forgets_the_key_and_the_choice() -> None:
    async with desk(own("work"), own("other"), secrets=MemorySecrets(work=work_key), default="work") as made:
        await made.directory.remove(ProviderId("work"))

        assert made.ids() == ["other"]
        assert made.secrets.keys == {}
        assert made.store.stored.settings.default_provider is None


async def test_R2_what_the_environment_gives_is_not_ours_to_remove() -> None:
    async with desk(environment={"TALKFIELD_PROVIDER_URL_BOX": "http://10.0.0.5/v1"}, scripted=True) as made:
        for provider, reason in (("box", "take its variables away"), ("scripted", "TALKFIELD_SCRIPTED")):
            with pytest.raises(InvalidArgument, match=reason):
                await made.directory.remove(ProviderId(provider))


async def test_R2_a_provider_of_the_environment_can_be_made_ones_own() -> None:
    environment = {"TALKFIELD_PROVIDER_URL_BOX": "http://10.0.0.5/v1", "TALKFIELD_PROVIDER_KEY_BOX": "given-key"}
    async with desk(environment=environment) as made:
        await made.directory.save(
            change(provider=ProviderId("box"), name="Box", base_url="http://10.0.0.5/v1", model="m3")
        )

        assert (made.record("box").origin, made.record("box").model) == ("settings", "m3")
        assert made.config("box").key == "given-key"


async def test_X5_a_change_is_finished_when_its_asker_leaves() -> None:
    async with desk() as made:
        saving = asyncio.create_task(made.directory.save(change(key="sk-another-one")))
        await asyncio.sleep(0)
        saving.cancel()
        await until(lambda: made.ids() == ["new"])

        assert made.secrets.keys == {"new": ("https://new.example:443", "sk-another-one")}


async def test_X5_changes_at_once_are_made_one_after_the_other() -> None:
    async with desk() as made:
        made_ids = await asyncio.gather(
            *(made.directory.save(change(name="A", model=str(number))) for number in range(5))
        )

        assert len(set(made_ids)) == 5
        assert len(made.store.stored.providers) == 5


# Asking


async def test_D5_what_asking_gave_is_in_the_record_without_a_key() -> None:
    async with desk(own(), secrets=MemorySecrets(work=work_key)) as made:
        made.driver.answer = ProviderRefused("wrong key sk-0123456789abcdef", status=401, hint="check it")
        await made.directory.refresh(ProviderId("work"))

        assert made.record("work").status == "failed"
        assert made.record("work").message == "Wrong key [key]. Check it."

        made.driver.answer = ProviderRefused("not found", status=404)
        await made.directory.refresh(ProviderId("work"))
        assert made.record("work").status == "unknown"
        assert made.record("work").message == "It gives no list of its models: type the name of one."


async def test_D5_who_asks_meanwhile_waits_for_the_same_answer() -> None:
    async with desk(own()) as made:
        made.driver.may_answer.clear()
        asking = [asyncio.create_task(made.directory.refresh(ProviderId("work"))) for _ in range(3)]
        await settle()
        asking[0].cancel()
        made.driver.may_answer.set()
        await asyncio.gather(*asking, return_exceptions=True)

        assert len(made.driver.asked) == 1
        assert made.record("work").status == "ready"


async def test_D5_an_answer_for_another_key_or_address_does_not_hold() -> None:
    async with desk(own()) as made:
        await made.directory.refresh(ProviderId("work"))
        made.driver.may_answer.clear()
        await made.directory.save(change(provider=ProviderId("work")))

        assert (made.record("work").status, made.record("work").models) == ("unknown", ())


async def test_W15_whoever_watches_hears_of_each_change_and_of_nothing_else() -> None:
    async with desk(own()) as made:
        heard: list[int] = []
        unwatch = made.directory.watch(lambda: heard.append(1))
        await made.directory.refresh(ProviderId("work"))
        await made.directory.refresh(ProviderId("work"))
        assert len(heard) == 1

        unwatch()
        await made.directory.remove(ProviderId("work"))
        assert len(heard) == 1


async def test_D13_what_a_driver_learned_is_kept() -> None:
    async with desk() as made:
        made.directory.learn("https://x|m", {"temperature": False})
        made.directory.learn("https://x|m", {"stream_usage": False})
        await until(lambda: len(made.store.stored.learned.get("https://x|m", {})) == 2)

        assert made.store.stored.learned == {"https://x|m": {"temperature": False, "stream_usage": False}}

        made.store.full = True
        made.directory.learn("https://x|m", {"tools": False})
        await until(lambda: bool(made.log))
        assert made.log == ["providers: what was learned of https://x|m could not be saved: the disk is full"]


# This machine


def local_model(folder: Path, how: str = "serve", *, clock: HandClock | None = None) -> LocalModel:
    return LocalModel(
        clock=clock or HandClock(),
        environment={},
        command=(sys.executable, str(child_file), how, str(folder)),
        weights=lambda _environment: folder / "tiny.gguf",
    )


async def test_Z2_with_nothing_configured_the_embedded_model_answers(tmp_path: Path) -> None:
    local = local_model(tmp_path)
    async with desk(local=local) as made:
        await until(lambda: made.record("local").status == "idle")
        assert made.config() == ProviderConfig(
            id=ProviderId("local"), name="Built-in small model", api="local", base_url="", model="smollm2-135m"
        )

        await local.address()
        assert [record.status for (record,) in made.changes] == ["idle", "starting", "ready"]
        await made.directory.refresh(ProviderId("local"))
        assert made.record("local").status == "ready"
    assert local.process_id is None


async def test_Z2_an_embedded_model_that_is_turned_off_is_not_listed(tmp_path: Path) -> None:
    async with desk(local=local_model(tmp_path), environment={"TALKFIELD_LOCAL_MODEL": "0"}) as made:
        assert made.ids() == []


async def test_Z2_an_embedded_model_that_failed_is_tried_again(tmp_path: Path) -> None:
    local = local_model(tmp_path, "refuse")
    async with desk(local=local) as made:
        with pytest.raises(Exception, match="the weights are damaged"):
            await local.address()

        assert made.record("local").status == "failed"
        assert made.config().id == "local"


async def test_Z2_a_missing_embedded_model_is_not_chosen(tmp_path: Path) -> None:
    def missing(_environment: Mapping[str, str]) -> Path:
        raise ProviderRefused("its weights are not installed", code="local_model_missing", hint="install them")

    local = LocalModel(clock=HandClock(), environment={}, weights=missing)
    async with desk(local=local) as made:
        await until(lambda: made.record("local").status == "missing")
        assert made.record("local").message == "Its weights are not installed. Install them."
        assert made.directory.resolve(None) is None


@asynccontextmanager
async def model_server(*models: str) -> AsyncIterator[int]:
    async def answer(_request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": name, "owned_by": "vllm"} for name in models]})

    app = web.Application()
    app.router.add_get("/v1/models", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


def place(port: int) -> Candidate:
    return Candidate(provider=ProviderId("vllm"), name="vLLM", origin=f"http://127.0.0.1:{port}")


async def test_Z2_a_running_server_is_listed_before_the_embedded_model(tmp_path: Path) -> None:
    async with (
        model_server("bge-embedding", "qwen") as port,
        desk(local=local_model(tmp_path), places=(place(port),)) as made,
    ):
        await until(lambda: made.ids() == ["vllm", "local"])
        assert made.config() == ProviderConfig(
            id=ProviderId("vllm"),
            name="vLLM",
            api="openai",
            base_url=f"http://127.0.0.1:{port}/v1",
            model="qwen",
            profile={"reasoning_parameter": "chat_template_kwargs", "documents": False},
        )
        assert made.record("vllm").status == "ready"


async def test_Z2_a_running_server_that_one_configured_is_listed_once() -> None:
    async with (
        model_server("qwen") as port,
        desk(own("mine", f"http://127.0.0.1:{port}"), places=(place(port),)) as made,
    ):
        await until(lambda: made.clock.slept.count(30.0) == 1)
        assert made.ids() == ["mine"]


async def test_Z2_a_running_server_without_a_model_is_not_chosen() -> None:
    async with model_server("nomic-embed-text") as port, desk(places=(place(port),)) as made:
        await until(lambda: made.ids() == ["vllm"])
        assert made.record("vllm").status == "missing"
        assert made.directory.resolve(None) is None


def with_default(current: Configuration, provider: str) -> Configuration:
    return Configuration(
        settings=SettingsRecord(id=SETTINGS_ID, default_provider=ProviderId(provider)), providers=current.providers
    )


def with_order(current: Configuration, *providers: str) -> Configuration:
    order = tuple(map(ProviderId, providers))
    return Configuration(settings=SettingsRecord(id=SETTINGS_ID, provider_order=order), providers=current.providers)
