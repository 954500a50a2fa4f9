"""The application: every route, in one list, behind one gate. No globals: two can live in one process."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Iterable, Mapping

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from talkfield.errors import TalkfieldError
from talkfield.server.channel import Channel
from talkfield.server.config import ServerConfig
from talkfield.server.error import error_response, response_for
from talkfield.server.http import Api
from talkfield.server.hub import Hub
from talkfield.server.launch import Launches
from talkfield.server.operation import Operation
from talkfield.server.security import Gate
from talkfield.server.static_files import UiFiles
from talkfield.workspace.base import StudioLike

logger = logging.getLogger(__name__)


class TalkfieldApp(Starlette):
    """A Starlette application whose outermost layer is the gate, outside even of the handling of errors."""

    def __init__(self, studio: StudioLike, config: ServerConfig) -> None:
        self.studio = studio
        self.config = config
        self.hub = Hub(config)
        self.launches = Launches()
        api = Api(studio, config, self.hub, self.launches)

        async def channel(socket: WebSocket) -> None:
            await Channel(socket, studio, config, self.hub).run()

        super().__init__(
            routes=[
                WebSocketRoute("/api/channel", channel),
                Mount("/api", routes=routes_of(api.operations, config)),
                Mount("/", UiFiles(config.static_folder)),
            ],
            exception_handlers={
                TalkfieldError: answer_error,
                HTTPException: answer_http_exception,
            },
            lifespan=lambda _app: self.living(studio),
            max_body_size=config.max_body_bytes,
        )

    def build_middleware_stack(self) -> ASGIApp:
        return Gate(super().build_middleware_stack(), self.config, self.launches)

    @contextlib.asynccontextmanager
    async def living(self, studio: StudioLike) -> AsyncIterator[None]:
        yield
        await self.hub.close()
        try:
            await studio.close()
        except TalkfieldError as error:
            logger.error("%s %s", error.message, error.hint)

    def launch_url(self, host: str) -> str:
        """A link that opens the UI once. `host` is the `name:port` that is listened on."""
        return self.config.entrance(host, self.launches.mint())


def create_app(studio: StudioLike, config: ServerConfig) -> TalkfieldApp:
    """The application for one owner. Closing it (its lifespan) closes the owner."""
    return TalkfieldApp(studio, config)


def routes_of(operations: Iterable[Operation], config: ServerConfig) -> list[Route]:
    """One route a path below `/api`, so that a wrong method is told all the right ones."""
    by_path: dict[str, dict[str, Operation]] = {}
    for operation in operations:
        by_path.setdefault(operation.path, {})[operation.method] = operation
    return [route_of(path, methods, config) for path, methods in by_path.items()]


def route_of(path: str, operations: Mapping[str, Operation], config: ServerConfig) -> Route:
    """Runs the operation of the method. A failure that is a bug of ours is logged here, with its traceback."""

    async def endpoint(request: Request) -> Response:
        operation = operations["GET" if request.method == "HEAD" else request.method]
        try:
            return await operation.run(request)
        except (TalkfieldError, HTTPException):
            raise
        except Exception:
            logger.exception("%s failed", operation.name)
            return internal_error()

    takes_bytes = any(operation.takes_bytes for operation in operations.values())
    most = config.max_attachment_bytes if takes_bytes else config.max_body_bytes
    most = max([most, *(operation.max_bytes for operation in operations.values() if operation.max_bytes)])
    return Route(path.removeprefix("/api"), endpoint, methods=list(operations), max_body_size=most)


def internal_error() -> Response:
    return error_response(500, "internal", "Something went wrong inside Talkfield; nothing is lost.")


async def answer_error(_request: Request, error: Exception) -> Response:
    """The answer for an error of ours."""
    return response_for(error) if isinstance(error, TalkfieldError) else internal_error()


async def answer_http_exception(_request: Request, error: Exception) -> Response:
    """What the framework refuses, in the form of every other refusal."""
    assert isinstance(error, HTTPException)
    code = {404: "unknown", 405: "wrong_method", 413: "too_large"}.get(error.status_code, "http_error")
    return error_response(error.status_code, code, error.detail, headers=dict(error.headers or {}))
