"""An edge whose worker serves a tiny app: the real supervisor, feed and worker around it."""

import asyncio
import os
import random
import sys
from pathlib import Path
from typing import Any

import uvloop
from sanic import HTTPResponse, Request, Sanic

from common.http.app import bare_app
from common.http.responses import json_response
from common.values.clock import SystemClock
from edge.runtime.process_exit import die_with_parent
from edge.settings import EdgeSettings
from edge.snapshots.feed_client import FeedClient
from edge.supervisor.supervisor import supervise
from edge.wiring import open_limit_store, open_replayer, open_snapshot_source
from edge.worker.worker_main import parse_worker_config, serve

_SELF = str(Path(__file__).resolve())


def tiny_app(link: FeedClient) -> Sanic[Any, Any]:
    app = bare_app("tiny-edge", max_body_bytes=1024)
    running: set[Request] = set()

    async def render_metrics() -> bytes:
        up = "# HELP tiny_up Up.\n# TYPE tiny_up gauge\ntiny_up 1.0\n"
        return f"{up}# TYPE tiny_running gauge\ntiny_running {len(running)}\n".encode()

    link.render_metrics = render_metrics

    @app.get("/snapshot")
    async def snapshot(_: Request) -> HTTPResponse:
        current = link.handle.current()
        slots = sorted(slot.key for slot in current.slots.values())
        age_s = link.handle.age_s(SystemClock().now_ms())
        shown = {"pid": os.getpid(), "version": current.version, "slots": slots, "age_s": age_s}
        return json_response(shown)

    @app.get("/slow")
    async def slow(request: Request) -> HTTPResponse:
        running.add(request)
        await asyncio.sleep(1.0)
        return json_response({"pid": os.getpid()})

    @app.get("/hang")
    async def hang(request: Request) -> HTTPResponse:
        running.add(request)
        await asyncio.sleep(3600)
        return json_response({})

    return app


async def supervise_tiny(settings: EdgeSettings) -> None:
    clock = SystemClock()
    async with (
        open_snapshot_source(settings) as (source, fallback),
        open_replayer(settings, clock) as replayer,
        open_limit_store(settings) as limits,
    ):
        await supervise(
            settings,
            source,
            fallback,
            replayer,
            limits,
            clock=clock,
            rng=random.Random(),
            worker_command=(sys.executable, _SELF, "worker"),
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["worker"]:
        place = parse_worker_config(sys.argv[2:])
        die_with_parent(place.parent)
        uvloop.run(serve(EdgeSettings(), place, tiny_app))
    else:
        uvloop.run(supervise_tiny(EdgeSettings()))
