"""The supervisor's own listener, for the machine's operators: readiness, metrics, the snapshot's state."""

import asyncio
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from sanic import HTTPResponse, Request, Sanic
from sanic.response import text

from common.errors import Unavailable
from common.http.app import bare_app
from common.http.responses import json_response
from common.http.router import READING
from edge.metrics_text import merge_metrics
from edge.snapshots.overview import Overview
from edge.supervisor_metrics import SupervisorCollector

_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_COLLECT_S = 1.0
_MAX_BODY_BYTES = 1024


def internal_app(overview: Overview) -> Sanic[Any, Any]:
    """``/livez /readyz /metrics /snapshot``. It is meant for an address that clients do not reach."""
    app = bare_app("placard-edge-internal", max_body_bytes=_MAX_BODY_BYTES)
    registry = CollectorRegistry()
    registry.register(SupervisorCollector(overview))

    async def livez(_: Request) -> HTTPResponse:
        return json_response({"status": "ok"})

    async def readyz(_: Request) -> HTTPResponse:
        if not overview.ready:
            raise Unavailable(_why_not_ready(overview))
        return json_response({"status": "ok", "snapshot": overview.age_state().value})

    async def metrics(_: Request) -> HTTPResponse:
        ours = generate_latest(registry).decode()
        return text(ours + await _collect_workers(overview), content_type=_METRICS_TYPE)

    async def snapshot(_: Request) -> HTTPResponse:
        return json_response(overview.to_json())

    for handler in (livez, readyz, metrics, snapshot):
        app.add_route(handler, f"/{handler.__name__}", methods=READING, name=handler.__name__)
    return app


async def _collect_workers(overview: Overview) -> str:
    """A worker that does not answer in time is missing; the others are shown."""
    found = await asyncio.gather(
        *(worker.feed.collect_metrics(_COLLECT_S) for worker in overview.workers)
    )
    pairs = zip(overview.workers, found, strict=True)
    return merge_metrics({str(w.number): raw.decode() for w, raw in pairs if raw is not None})


def _why_not_ready(overview: Overview) -> str:
    if overview.receive.receiver.state is None:
        return "No snapshot was received yet. Check that control publish runs and that Redis is up."
    late = [str(worker.number) for worker in overview.workers if not worker.feed.serving]
    return f"Not serving yet: worker {', '.join(late)}. Wait a moment."
