"""
Shared parts of every worker process (publish, ingest, work): an internal port and an orderly shutdown.

``/livez`` shows that the event loop runs, ``/readyz`` that the process can do its work, ``/metrics`` its metrics,
``/debug/stacks`` and ``/debug/profile`` what it is doing.
"""

import asyncio
import gc
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import structlog
from prometheus_client import CollectorRegistry
from sanic import Request, Sanic
from sanic.response import HTTPResponse

from common.http.app import bare_app
from common.http.debug import add_debug_routes
from common.http.listen import listen
from common.http.responses import json_response
from common.http.router import READING
from common.service.exposition import add_process_metrics, expose
from common.values.errors import Unavailable
from common.values.messages import Message
from control.foundation.settings import ControlSettings

_BODY_BYTES = 1024
_DRAIN_S = 1.0
_YOUNG = 10_000
"""New objects before a collection: a long list's response makes a few thousand, and none of them is part of a cycle."""
_log: structlog.stdlib.BoundLogger = structlog.get_logger("internal")


def internal_app(
    name: str, registry: CollectorRegistry, find_error: Callable[[], str | None]
) -> Sanic[Any, Any]:
    """*find_error* returns the reason why the process is not ready, or None where it is."""
    add_process_metrics(registry)
    app = bare_app(f"placard-{name}", max_body_bytes=_BODY_BYTES)

    async def livez(_: Request) -> HTTPResponse:
        return json_response({"status": "ok"})

    async def readyz(_: Request) -> HTTPResponse:
        found = find_error()
        if found is not None:
            raise Unavailable(Message.untranslated(found))
        return json_response({"status": "ok"})

    async def metrics(request: Request) -> HTTPResponse:
        body, content_type = expose(registry, request.headers.get("accept"))
        return HTTPResponse(body, content_type=content_type)

    app.add_route(livez, "/livez", methods=READING)
    app.add_route(readyz, "/readyz", methods=READING)
    app.add_route(metrics, "/metrics", methods=READING)
    add_debug_routes(app)
    return app


@asynccontextmanager
async def internal_listener(
    settings: ControlSettings,
    name: str,
    registry: CollectorRegistry,
    find_error: Callable[[], str | None],
) -> AsyncIterator[int]:
    """Listens while the block runs and yields the port. Raises OSError where the address cannot be bound."""
    app = internal_app(name, registry, find_error)
    tls = settings.internal_tls()
    listener = await listen(
        app,
        host=settings.internal_host,
        port=settings.internal_port,
        tls=None if tls is None else tls.open_server(),
    )
    _log.info("internal_listening", process=name, port=listener.port)
    try:
        yield listener.port
    finally:
        await listener.close(drain_s=_DRAIN_S)


async def until_stopped(work: Coroutine[Any, Any, None]) -> None:
    """Runs *work* until it ends, or until SIGTERM or SIGINT cancels it. *work* has ended when this returns."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    signals = (signal.SIGTERM, signal.SIGINT)
    for number in signals:
        loop.add_signal_handler(number, task.cancel)
    try:
        await asyncio.wait({task})
    finally:
        for number in signals:
            loop.remove_signal_handler(number)
        task.cancel()
        await asyncio.wait({task})
    if not task.cancelled():
        task.result()


def spare_what_stays(*, young: int = _YOUNG) -> None:
    """
    Freezes all live objects, so that no later garbage collection scans them, which takes 80 ms and happens many times
    a minute. Call it once, when everything is built.

    *young*: number of new objects before the first generation is collected.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(young, *gc.get_threshold()[1:])
