"""Health checks for the operator: is the edge alive, and is it ready for traffic?"""

from sanic import HTTPResponse, Request

from common.http.responses import json_response
from edge.context import EdgeContext


async def livez(_: Request) -> HTTPResponse:
    """200 while the event loop runs."""
    return json_response({"status": "ok"})


async def readyz(request: Request) -> HTTPResponse:
    """200 once a snapshot was adopted; 503 before (`SnapshotMissing`)."""
    edge: EdgeContext = request.app.ctx.edge
    snapshot = edge.snapshots.current()
    return json_response({"status": "ok", "snapshot_version": snapshot.version})
