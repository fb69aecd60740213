"""For whoever runs the edge: is it alive, and may it be sent traffic."""

from sanic import HTTPResponse, Request

from common.http.responses import json_response
from edge.context import EdgeContext


async def livez(_: Request) -> HTTPResponse:
    """The loop turns."""
    return json_response({"status": "ok"})


async def readyz(request: Request) -> HTTPResponse:
    """A snapshot was adopted; 503 before (`SnapshotMissing`)."""
    edge: EdgeContext = request.app.ctx.edge
    snapshot = edge.snapshots.current()
    return json_response({"status": "ok", "snapshot_version": snapshot.version})
