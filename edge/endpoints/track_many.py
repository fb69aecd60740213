"""
``POST /v1/track/batch``: events that an app kept while it was offline. Each is answered as it would be alone; one that
is refused holds up no other.
"""

import asyncio
from functools import partial
from typing import Any

from sanic import HTTPResponse, Request

from common.errors import ApiError
from common.http.responses import json_response
from edge.admission.keys import Admission, admit
from edge.admission.keys import Door as KeyDoor
from edge.context import EdgeContext
from edge.endpoints.track import full
from edge.endpoints.tracking import verified
from edge.events.spool import SpoolFull
from edge.http.call import call_of
from edge.tracking.redeem import begin, settle
from edge.tracking.redeeming import Redeemed
from edge.tracking.showing import Shown, shown_by
from edge.tracking.track_bodies import count_events, parse_track_bodies
from edge.tracking.track_body import TrackBody


async def handle(request: Request) -> HTTPResponse:
    """Counts as many calls against the rate as it brings events. A body at fault changes nothing."""
    edge: EdgeContext = request.app.ctx.edge
    now_ms = edge.clock.now_ms()
    call = call_of(request)
    calls = count_events(request.body)
    admission = admit(edge, call, KeyDoor.TRACK, now_ms, calls=calls)
    asked = parse_track_bodies(request.body)
    shown = shown_by(call.headers, ip=admission.client.ip, server_caller=admission.is_server)
    begun = [_begin(edge, admission, one, shown, now_ms) for one in asked]
    results = [await _result(edge, one) for one in begun]
    return json_response({"results": results})


def _begin(
    edge: EdgeContext, admission: Admission, asked: TrackBody, shown: Shown, now_ms: int
) -> "asyncio.Future[Redeemed] | ApiError":
    try:
        token = verified(edge, admission, asked.token, now_ms)
    except ApiError as refused:
        return refused
    answer: asyncio.Future[Redeemed] = asyncio.get_running_loop().create_future()
    done = partial(settle, answer)
    begin(edge, token, asked.event, shown, now_ms, conversion=asked.conversion, done=done)
    return answer


async def _result(
    edge: EdgeContext, begun: "asyncio.Future[Redeemed] | ApiError"
) -> dict[str, Any]:
    if isinstance(begun, ApiError):
        return _refusal(begun)
    try:
        redeemed = await begun
    except SpoolFull:
        return _refusal(full())
    return {"status": 204, **({"result": redeemed.value} if edge.environment.is_test else {})}


def _refusal(error: ApiError) -> dict[str, Any]:
    return {
        "status": error.status,
        "error": {"code": error.code.value, "message": error.message},
    }
