"""The supervisor's own listener, for operators: readiness, metrics, the snapshot's state."""

import asyncio
from functools import partial
from typing import Any

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric
from sanic import HTTPResponse, Request, Sanic

from common.http.app import bare_app
from common.http.debug import add_debug_routes
from common.http.responses import json_response
from common.http.router import READING
from common.service.exposition import Families, add_process_metrics, expose
from common.service.stacks import describe_stacks
from common.values.errors import Unavailable, not_found
from common.values.messages import Message
from edge.supervisor.metrics_merge import merge_metrics
from edge.supervisor.snapshot_overview import Overview
from edge.supervisor.supervisor_metrics import SupervisorCollector

_COLLECT_S = 1.0
_MAX_BODY_BYTES = 1024


def internal_app(overview: Overview) -> Sanic[Any, Any]:
    """``/livez /readyz /metrics /snapshot /debug``. Use an address that clients cannot reach."""
    app = bare_app("placard-edge-internal", max_body_bytes=_MAX_BODY_BYTES)
    registry = CollectorRegistry()
    add_process_metrics(registry)
    registry.register(SupervisorCollector(overview))

    async def livez(_: Request) -> HTTPResponse:
        return json_response({"status": "ok"})

    async def readyz(_: Request) -> HTTPResponse:
        if not overview.ready:
            raise Unavailable(Message.untranslated(_why_not_ready(overview)))
        return json_response({"status": "ok", "snapshot": overview.age_state().value})

    async def metrics(request: Request) -> HTTPResponse:
        families = await _collect(registry, overview)
        body, content_type = expose(Families(families), request.headers.get("accept"))
        return HTTPResponse(body, content_type=content_type)

    async def snapshot(_: Request) -> HTTPResponse:
        return json_response(overview.to_json())

    for handler in (livez, readyz, metrics, snapshot):
        app.add_route(handler, f"/{handler.__name__}", methods=READING, name=handler.__name__)
    add_debug_routes(app, partial(_describe_stacks, overview))
    return app


async def _describe_stacks(overview: Overview, number: str | None, seconds: float) -> str:
    if number is None:
        return await describe_stacks(seconds)
    worker = next((one for one in overview.workers if str(one.number) == number), None)
    if worker is None:
        raise not_found()
    found = await worker.feed.collect_stacks(seconds, _COLLECT_S)
    if found is None:
        raise Unavailable(Message.untranslated(f"Worker {number} does not respond."))
    return found.decode()


async def _collect(registry: CollectorRegistry, overview: Overview) -> list[Metric]:
    """Collects the metrics of all processes. A worker that does not respond in time is missing."""
    found = await asyncio.gather(
        *(worker.feed.collect_metrics(_COLLECT_S) for worker in overview.workers)
    )
    pairs = zip(overview.workers, found, strict=True)
    texts = {str(w.number): raw.decode() for w, raw in pairs if raw is not None}
    return merge_metrics(registry.collect(), texts)


def _why_not_ready(overview: Overview) -> str:
    if overview.receive.receiver.state is None:
        return "No snapshot was received yet. Check that control publish runs and that Redis is up."
    late = [str(worker.number) for worker in overview.workers if not worker.feed.serving]
    return f"Not serving yet: worker {', '.join(late)}. Wait a moment."
