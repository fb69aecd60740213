"""
``POST /v1/track/batch``: events that an app stored while it was offline.

Each event gets the result that it would get alone; a refused event does not affect the others.
"""

import asyncio
from functools import partial
from typing import Any

from sanic import HTTPResponse, Request

from common.contract.scenarios import TRACK_SCENARIOS
from common.http.responses import json_response
from common.values.errors import ApiError
from edge.admission.keys import Admission, RouteGroup, admit
from edge.context import EdgeContext, edge_of
from edge.endpoints.track import spool_full_error
from edge.request.call import Call, call_of
from edge.serving.test_controls import TestControls, parse_test_controls
from edge.spool.spool import SpoolFull
from edge.state.redemptions import Redeemed
from edge.tracking.redeem import settle
from edge.tracking.track_batch_body import count_events, parse_track_bodies
from edge.tracking.track_body import TrackBody
from edge.tracking.track_event import start_event


async def handle(request: Request) -> HTTPResponse:
    """Counts each event as one call against the rate. A faulty body changes nothing."""
    edge = edge_of(request)
    now_ms = edge.clock.now_ms()
    call = call_of(request)
    calls = count_events(request.body)
    admission = admit(edge, call, RouteGroup.TRACK, now_ms, calls=calls)
    trial = parse_test_controls(edge, call, TRACK_SCENARIOS, now_ms)
    bodies = parse_track_bodies(request.body, believed=admission.is_believed)
    begun = [_begin(edge, call, admission, one, now_ms, trial) for one in bodies]
    results = [await _result(edge, one) for one in begun]
    return json_response({"results": results})


def _begin(  # noqa: PLR0917 - all that an event follows from
    edge: EdgeContext,
    call: Call,
    admission: Admission,
    body: TrackBody,
    now_ms: int,
    trial: TestControls | None,
) -> "asyncio.Future[Redeemed] | ApiError":
    answer: asyncio.Future[Redeemed] = asyncio.get_running_loop().create_future()
    try:
        start_event(edge, call, admission, body, now_ms, trial, partial(settle, answer))
    except ApiError as refused:
        return refused
    return answer


async def _result(
    edge: EdgeContext, begun: "asyncio.Future[Redeemed] | ApiError"
) -> dict[str, Any]:
    if isinstance(begun, ApiError):
        return _refusal(begun)
    try:
        redeemed = await begun
    except SpoolFull:
        return _refusal(spool_full_error())
    return {"status": 204, **({"result": redeemed.value} if edge.environment.is_test else {})}


def _refusal(error: ApiError) -> dict[str, Any]:
    return {
        "status": error.status,
        "error": {"code": error.code.value, "message": error.message},
    }
