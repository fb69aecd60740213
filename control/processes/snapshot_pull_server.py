"""
Internal HTTP by which edges reach the control plane when Redis is unavailable, on a port of its own.

`GET /snapshot/ENVIRONMENT/{head,deltas,full}` pulls, `POST /snapshot/ENVIRONMENT/workers` reports workers' statuses.
Client and server both prove that they hold the group's key file (`common.snapshot.pull_auth`).
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import structlog
from sanic import Request, Sanic
from sanic.response import HTTPResponse

from common.http.app import bare_app
from common.http.listen import listen
from common.service.secrets import KeyRing
from common.snapshot.pull_auth import (
    ANSWER_PROOF,
    SignatureInvalid,
    SignedPull,
    check_pull,
    prove_answer,
)
from common.values.clock import Clock
from common.values.environment import Environment
from common.values.errors import ErrorCode, Refused, Unavailable, not_found
from common.values.messages import Message
from control.delivery.edge_status.ack_collector import AckCollector
from control.delivery.snapshot_publishing.pull_responses import PullResponses
from control.foundation.settings import ControlSettings

_AT_ONCE = 4
_WAITING = 64
_RETRY_S = 2
_BODY_BYTES = 1_048_576
_DRAIN_S = 1.0
_BINARY = "application/octet-stream"
_log: structlog.stdlib.BoundLogger = structlog.get_logger("pull")

Answering = Callable[[Request, Environment], Awaitable[bytes]]


def pull_app(
    keys: KeyRing, clock: Clock, pulled: PullResponses, reports: AckCollector
) -> Sanic[Any, Any]:
    app = bare_app("placard-pull", max_body_bytes=_BODY_BYTES)
    limit = _ConcurrencyLimit()

    async def head(_: Request, environment: Environment) -> bytes:
        return await pulled.head(environment)

    async def deltas(request: Request, environment: Environment) -> bytes:
        after, through = _number(request, "after"), _number(request, "through")
        async with limit.slot():
            found = await pulled.deltas(environment, after, through)
        if found is None:
            raise not_found()
        return found

    async def full(_: Request, environment: Environment) -> bytes:
        async with limit.slot():
            return await pulled.full(environment)

    async def workers(request: Request, environment: Environment) -> bytes:
        await reports.receive_pushed(environment, request.body)
        return b""

    def add(method: str, name: str, answer: Answering) -> None:
        async def handle(request: Request, environment: str) -> HTTPResponse:
            authorization = _check(keys, clock, request)
            body = await answer(request, _environment(environment))
            proof = await asyncio.to_thread(prove_answer, keys, authorization, body)
            return HTTPResponse(body, headers={ANSWER_PROOF: proof}, content_type=_BINARY)

        app.add_route(handle, f"/snapshot/<environment:str>/{name}", methods=[method], name=name)

    add("GET", "head", head)
    add("GET", "deltas", deltas)
    add("GET", "full", full)
    add("POST", "workers", workers)
    return app


@asynccontextmanager
async def pull_listener(settings: ControlSettings, app: Sanic[Any, Any]) -> AsyncIterator[int]:
    """Listens while the block runs and yields the port. Raises OSError where the address cannot be bound."""
    files = settings.internal_tls()
    tls = None if files is None else files.open_server()
    try:
        listener = await listen(
            app, host=settings.snapshot_host, port=settings.snapshot_port, tls=tls
        )
    except OSError as error:
        message = f"{error.strerror}. Free the port, or name another in PLACARD_SNAPSHOT_PORT."
        raise OSError(error.errno, message) from error
    _log.info("pull_listening", host=settings.snapshot_host, port=listener.port)
    try:
        yield listener.port
    finally:
        await listener.close(drain_s=_DRAIN_S)


class _ConcurrencyLimit:
    """Limits the large responses made at once, and those waiting; further requests are refused at once."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(_AT_ONCE)
        self._waiting = 0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        if self._waiting >= _WAITING:
            raise Unavailable(
                Message("Too many edges request the snapshot at once. Try again."),
                retry_after_s=_RETRY_S,
            )
        self._waiting += 1
        try:
            async with self._free:
                yield
        finally:
            self._waiting -= 1


def _check(keys: KeyRing, clock: Clock, request: Request) -> str:
    """Returns the ``Authorization`` that proves the client. Raises `Refused`: 401."""
    authorization = request.headers.get("authorization")
    target = request.raw_url.decode("latin-1")
    pull = SignedPull(request.method, target, request.body)
    try:
        check_pull(keys, pull, authorization, clock.now_ms())
    except SignatureInvalid as error:
        raise Refused(ErrorCode.INVALID_KEY, Message.untranslated(str(error))) from None
    return str(authorization)


def _environment(name: str) -> Environment:
    try:
        return Environment(name)
    except ValueError:
        raise not_found() from None


def _number(request: Request, name: str) -> int:
    text = str(request.args.get(name, ""))
    if not (text.isascii() and text.isdigit() and len(text) < 19):  # noqa: PLR2004 - what 64 bits hold
        raise not_found()
    return int(text)
