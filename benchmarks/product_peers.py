"""The products that `bench_product.py` measures: how each is started, talked to, and given an earlier conversation.

A peer is asked to do what a person does with it as it comes, on the same endpoint. What is sent to it from a program,
for the memory of many chats, is what its own page sends. Nothing of a peer is changed; what its page fetches from
elsewhere is answered from npm where that is part of it, and refused otherwise.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import urllib.request
import uuid
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec
from aiohttp import ClientSession, ClientTimeout, TCPConnector, WSMsgType
from playwright.sync_api import Page, Route

from environments import FOLDER, node_packages, python_environment
from full_project import fill, messages
from product_provider import MODEL
from talkfield.core.records import MessageRecord
from talkfield.storage.base import WriteBatch
from talkfield.storage.database import DatabaseStore
from talkfield.storage.folder import DataFolder

HERE = Path(__file__).resolve().parent
CANVAS_CHAT, CHAINLIT = "0.1.112", "2.12.0"
Chat = Callable[[str], Awaitable[None]]
"""Asks in a chat of its own, which stays open; returns when the reply has ended."""


class Peer:
    """One product. `folder` is empty before its first start; `earlier` are the texts of an earlier conversation."""

    name = ""
    composer = ""
    """Where a person types, as CSS has it; there when the page is ready."""

    def __init__(self, folder: Path, endpoint: str) -> None:
        self.folder, self.endpoint = folder, f"{endpoint}/v1"
        self.earlier: Path | None = None
        self.port = 0

    def install(self) -> str:
        """Makes what it needs; its version. Raises `Missing`."""
        raise NotImplementedError

    def command(self) -> list[str]:
        raise NotImplementedError

    def environment(self) -> dict[str, str]:
        return {}

    def headers(self) -> dict[str, str]:
        return {}

    def keep(self, texts: list[str]) -> None:
        """Lets the product have this conversation from its next start on."""
        self.earlier = self.folder / "earlier.json"
        self.earlier.write_text(json.dumps(texts), "utf-8")

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def page_address(self) -> str:
        return self.address

    def earlier_address(self) -> str:
        return self.page_address()

    def prepare(self, page: Page) -> None:
        """Before the page is opened."""
        page.route("**/*", self.answer)

    def forget(self) -> None:
        """Before another question in a page that is opened anew: what that page cannot be without."""

    def answer(self, route: Route) -> None:
        """Nothing but the product's own server is asked."""
        if route.request.url.startswith(self.address):
            route.continue_()
        else:
            route.abort()

    def say(self, page: Page, text: str) -> None:
        raise NotImplementedError

    async def chatting(self, stack: AsyncExitStack) -> Chat:
        """A way to ask in new chats, as its page would."""
        raise NotImplementedError

    async def session(self, stack: AsyncExitStack) -> ClientSession:
        connector = TCPConnector(limit=0)
        made = ClientSession(headers=self.headers(), connector=connector, timeout=ClientTimeout())
        return await stack.enter_async_context(made)


class Bare(Peer):
    name = "bare"
    composer = "#say"

    def install(self) -> str:
        return ""

    def command(self) -> list[str]:
        earlier = [str(self.earlier)] if self.earlier else []
        return [sys.executable, str(HERE / "product_bare.py"), str(self.port), self.endpoint, *earlier]

    def say(self, page: Page, text: str) -> None:
        page.locator("#say").fill(text)
        page.locator("#say").press("Enter")

    async def chatting(self, stack: AsyncExitStack) -> Chat:
        http = await self.session(stack)

        async def ask(text: str) -> None:
            async with http.post(f"{self.address}/ask", data=text) as answer:
                await answer.read()

        return ask


class Talkfield(Peer):
    name = "talkfield"
    composer = "[data-testid=first-composer], [data-testid=composer]"

    def install(self) -> str:
        import talkfield

        return talkfield.__version__

    def command(self) -> list[str]:
        return [sys.executable, "-m", "talkfield", "open", "--no-browser", "--port", str(self.port)]

    def environment(self) -> dict[str, str]:
        provider = {"URL": self.endpoint, "MODEL": MODEL, "KEY": "none"}
        given = {f"TALKFIELD_PROVIDER_{name}_BENCH": value for name, value in provider.items()}
        quiet = {"TALKFIELD_DISCOVER": "0", "TALKFIELD_LOCAL_MODEL": "0", "TALKFIELD_KEYRING": "0"}
        return given | quiet | {"TALKFIELD_HOME": str(self.folder)}

    def token(self) -> str:
        path = self.folder / "api-token"
        return path.read_text().strip() if path.exists() else ""

    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token()}"}

    def page_address(self) -> str:
        """A link that signs a browser in, once."""
        return str(self.post("/api/launch")["url"])

    def post(self, path: str, body: dict[str, str] | None = None) -> dict[str, Any]:
        headers = self.headers() | {"content-type": "application/json"}
        asked = urllib.request.Request(f"{self.address}{path}", headers=headers, data=json.dumps(body or {}).encode())
        with urllib.request.urlopen(asked) as answer:
            found: dict[str, Any] = json.load(answer)
        return found

    def keep(self, texts: list[str]) -> None:
        data = DataFolder(self.folder)
        data.create()
        store = DatabaseStore(data.database)
        fill(store, "earlier", node_count=1, message_count=0, opened_at=2**50)
        kept = [
            msgspec.structs.replace(record, content=text)
            for record, text in zip(messages("earlier", 1, len(texts)), texts, strict=True)
            if isinstance(record, MessageRecord)
        ]
        store.write([WriteBatch(project=store.projects()[0].id, puts=tuple(kept))])
        store.close()

    def earlier_address(self) -> str:
        """For a browser that is signed in."""
        return self.address

    def say(self, page: Page, text: str) -> None:
        first = page.get_by_test_id("first-composer")
        first.locator("textarea").or_(first).last.fill(text)
        page.keyboard.press("Enter")

    def forget(self) -> None:
        """An empty project, which is what a page shows then: with a composer for the first chat."""
        self.post("/api/projects", {"title": "Next"})

    async def chatting(self, stack: AsyncExitStack) -> Chat:
        http = await self.session(stack)
        page = await stack.enter_async_context(http.ws_connect(f"{self.address}/api/channel", max_msg_size=0))
        await page.send_str('{"type":"hello","protocol":1}')

        async def look_on() -> None:
            async for _ in page:
                pass

        looking = asyncio.ensure_future(look_on())
        stack.callback(looking.cancel)
        async with http.get(f"{self.address}/api/projects") as answer:
            project = (await answer.json())["projects"][0]["id"]

        async def ask(text: str) -> None:
            async with http.post(f"{self.address}/api/projects/{project}/nodes", json={}) as answer:
                node = (await answer.json())["id"]
            async with http.post(f"{self.address}/api/nodes/{node}/send", json={"text": text}) as answer:
                told = await answer.json()
                if not told.get("ok"):
                    raise RuntimeError(f"talkfield: {told}")

        return ask


class CanvasChat(Peer):
    """Its conversations are in the browser (IndexedDB); its server passes on."""

    name = "canvas-chat"
    composer = "#chat-input"
    modules = ("yjs@13.6.24", "y-indexeddb@9.0.12", "y-webrtc@10.3.0")
    scripts = ("marked@15", "katex@0.16.21", "marked-katex-extension@5.1.5", "papaparse@5")
    highlight = "@highlightjs/cdn-assets@11.9.0"

    def install(self) -> str:
        self.python = python_environment("canvas-chat", [f"canvas-chat=={CANVAS_CHAT}"])
        self.packages = node_packages("canvas-chat-page", [*self.modules, *self.scripts, self.highlight, "esbuild"])
        self.bundles = FOLDER / "canvas-chat-page"
        for name in (each.partition("@")[0] for each in self.modules):
            bundle = self.bundles / f"{name}.js"
            if not bundle.exists():
                source = f"export * from {json.dumps(name)}"
                options = ["--bundle", "--format=esm", f"--outfile={bundle}", "--log-level=error"]
                external = [] if name == "yjs" else ["--external:yjs"]
                program = self.packages / ".bin" / "esbuild"
                subprocess.run([program, *options, *external], input=source, text=True, check=True, cwd=self.bundles)
        return CANVAS_CHAT

    def command(self) -> list[str]:
        return [str(self.python / "canvas-chat"), "launch", "--no-browser", "--port", str(self.port)]

    def environment(self) -> dict[str, str]:
        return {"OPENAI_API_KEY": "none"}

    def prepare(self, page: Page) -> None:
        """With a model of one's own, as its settings keep it."""
        model = {"id": f"openai/{MODEL}", "name": "Bench", "provider": "Custom", "base_url": self.endpoint}
        kept = {"canvas-chat-custom-models": json.dumps([model]), "canvas-chat-model": model["id"]}
        page.add_init_script(f"Object.assign(localStorage, {json.dumps(kept)})")
        super().prepare(page)

    def answer(self, route: Route) -> None:
        url = route.request.url
        if url.startswith(self.address):
            route.continue_()
        elif found := self.from_npm(url):
            route.fulfill(path=found, headers={"access-control-allow-origin": "*"})
        else:
            route.abort()

    def from_npm(self, url: str) -> Path | None:
        """What its page fetches from elsewhere, where npm has it; Pyodide and SheetJS, which it does not need, not."""
        path = url.partition("://")[2].partition("?")[0].partition("/")[2]
        if url.startswith("https://esm.sh/"):
            return self.bundles / f"{path.partition('@')[0]}.js"
        if "highlightjs/cdn-release" in path:
            return self.packages / "@highlightjs/cdn-assets" / path.partition("/build/")[2]
        if path.startswith("npm/"):
            package, _, file = path.removeprefix("npm/").partition("/")
            found = self.packages / package.partition("@")[0] / file
            return found if found.exists() else None
        return None

    def say(self, page: Page, text: str) -> None:
        page.locator("#chat-input").fill(text)
        page.locator("#chat-input").press("Enter")

    def fill(self, page: Page, texts: list[str]) -> None:
        """Puts the conversation on the canvas of the page that is open, and waits until the browser has kept it."""
        page.evaluate(
            """async (texts) => {
              let last = [];
              for (const [number, text] of texts.entries())
                last = [app.graph.createLinkedNode(number % 2 ? "ai" : "human", text, last).id];
              app.saveSession();
              await new Promise((done) => setTimeout(done, 5000));
            }""",
            texts,
        )

    async def chatting(self, stack: AsyncExitStack) -> Chat:
        http = await self.session(stack)

        async def ask(text: str) -> None:
            body: dict[str, Any] = {"messages": [{"role": "user", "content": text}], "model": f"openai/{MODEL}"}
            body["base_url"] = self.endpoint
            async with http.post(f"{self.address}/api/chat", json=body) as answer:
                said = await answer.text()
                if "event: done" not in said:
                    raise RuntimeError(f"canvas-chat: {said[-300:]}")

        return ask


class Chainlit(Peer):
    """A framework: what runs on it is `product_chainlit.py`. A page has one chat."""

    name = "chainlit"
    composer = "#chat-input"

    def install(self) -> str:
        self.python = python_environment("chainlit", [f"chainlit=={CHAINLIT}", "openai"])
        return CHAINLIT

    def command(self) -> list[str]:
        application = self.folder / "application.py"
        shutil.copyfile(HERE / "product_chainlit.py", application)
        return [str(self.python / "chainlit"), "run", str(application), "--headless", "--port", str(self.port)]

    def environment(self) -> dict[str, str]:
        history = {"BENCH_HISTORY": str(self.earlier)} if self.earlier else {}
        secret = {"CHAINLIT_AUTH_SECRET": "of-no-worth-" * 4, "CHAINLIT_APP_ROOT": str(self.folder)}
        return history | secret | {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": self.endpoint}

    def earlier_address(self) -> str:
        return f"{self.address}/thread/earlier"

    def say(self, page: Page, text: str) -> None:
        page.locator("#chat-input").click()
        page.keyboard.insert_text(text)
        page.keyboard.press("Enter")

    async def chatting(self, stack: AsyncExitStack) -> Chat:
        """Speaks Socket.IO as its page does."""
        http = await self.session(stack)
        where = f"ws://127.0.0.1:{self.port}/ws/socket.io/?EIO=4&transport=websocket"

        async def ask(text: str) -> None:
            socket = await stack.enter_async_context(http.ws_connect(where, max_msg_size=0))
            ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            joined: asyncio.Future[None] = asyncio.get_running_loop().create_future()

            async def listen() -> None:
                asked = False
                async for message in socket:
                    if message.type is not WSMsgType.TEXT:
                        continue
                    said = message.data
                    if said.startswith("0"):
                        one = {"sessionId": str(uuid.uuid4()), "clientType": "webapp", "userEnv": "{}"}
                        await socket.send_str(f"40{json.dumps(one)}")
                    elif said.startswith("40"):
                        joined.set_result(None)
                    elif said == "2":
                        await socket.send_str("3")
                    elif said.startswith('42["task_start"'):
                        asked = True
                    elif said.startswith('42["task_end"') and asked and not ended.done():
                        ended.set_result(None)

            listening = asyncio.ensure_future(listen())
            stack.callback(listening.cancel)
            await joined
            await socket.send_str('42["connection_successful"]')
            message = {"id": str(uuid.uuid4()), "name": "user", "type": "user_message", "output": text}
            message |= {"createdAt": "2026-01-01T00:00:00.000Z", "threadId": ""}
            said = json.dumps(["client_message", {"message": message, "fileReferences": []}])
            await socket.send_str(f"42{said}")
            await ended

        return ask


PEERS: tuple[type[Peer], ...] = (Bare, Talkfield, CanvasChat, Chainlit)


def quiet_environment() -> dict[str, str]:
    """Of every product alike: this machine's own, without keys, and with compiled files kept beside the peers."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_TOKEN"))}
    return kept | {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(FOLDER / "compiled")}
