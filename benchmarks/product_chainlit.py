"""The Chainlit application that `bench_product.py` measures: a chat that is kept, written as its documentation does.

Runs in Chainlit's own environment, with `chainlit run`. `BENCH_HISTORY` names a JSON file with the texts of an earlier
conversation, questions and answers in turn, which the thread `earlier` has.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import chainlit as cl
from chainlit.data.base import BaseDataLayer
from openai import AsyncOpenAI

client = AsyncOpenAI()
THREAD = "earlier"
WHO = "bench"
WHEN = "2026-01-01T00:00:00.000000Z"


def steps() -> list[dict[str, Any]]:
    path = os.environ.get("BENCH_HISTORY")
    texts = json.loads(Path(path).read_text("utf-8")) if path else []
    return [
        {
            "id": f"step{number}",
            "threadId": THREAD,
            "name": "assistant" if number % 2 else WHO,
            "type": "assistant_message" if number % 2 else "user_message",
            "output": text,
            "input": "",
            "streaming": False,
            "createdAt": WHEN,
            "start": WHEN,
            "end": WHEN,
            "metadata": {},
            "tags": [],
        }
        for number, text in enumerate(texts)
    ]


class History(BaseDataLayer):
    """Knows one person and one thread, in memory; keeps nothing."""

    async def get_user(self, identifier: str) -> cl.PersistedUser:
        return cl.PersistedUser(id=identifier, identifier=identifier, createdAt=WHEN)

    async def create_user(self, user: cl.User) -> cl.PersistedUser:
        return await self.get_user(user.identifier)

    async def get_thread(self, thread_id: str) -> Any:
        if thread_id != THREAD:
            return None
        known = {"id": THREAD, "createdAt": WHEN, "name": "Earlier", "userId": WHO, "userIdentifier": WHO}
        return {**known, "tags": [], "metadata": {}, "steps": steps(), "elements": []}

    async def get_thread_author(self, thread_id: str) -> str:
        return WHO

    async def list_threads(self, pagination: Any, filters: Any) -> Any:
        from chainlit.types import PageInfo, PaginatedResponse

        return PaginatedResponse(data=[], pageInfo=PageInfo(hasNextPage=False, startCursor=None, endCursor=None))

    async def delete_feedback(self, feedback_id: str) -> bool:
        return True

    async def upsert_feedback(self, feedback: Any) -> str:
        return ""

    async def create_element(self, element: Any) -> None: ...

    async def get_element(self, thread_id: str, element_id: str) -> None: ...

    async def delete_element(self, element_id: str, thread_id: str | None = None) -> None: ...

    async def create_step(self, step_dict: Any) -> None: ...

    async def update_step(self, step_dict: Any) -> None: ...

    async def delete_step(self, step_id: str) -> None: ...

    async def delete_thread(self, thread_id: str) -> None: ...

    async def update_thread(self, thread_id: str, *_arguments: Any, **_more: Any) -> None: ...

    async def build_debug_url(self) -> str:
        return ""

    async def close(self) -> None: ...

    async def get_favorite_steps(self, user_id: str) -> list[Any]:
        return []


if os.environ.get("BENCH_HISTORY"):

    @cl.data_layer
    def data_layer() -> History:
        return History()

    @cl.header_auth_callback
    def sign_in(_headers: Any) -> cl.User:
        return cl.User(identifier=WHO)

    @cl.on_chat_resume
    async def resume(_thread: Any) -> None: ...


@cl.on_message
async def answer(_message: cl.Message) -> None:
    reply = cl.Message(content="")
    stream = await client.chat.completions.create(model="bench-1", messages=cl.chat_context.to_openai(), stream=True)
    async for part in stream:
        if part.choices and (token := part.choices[0].delta.content):
            await reply.stream_token(token)
    await reply.update()
