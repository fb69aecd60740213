"""``POST /v1/track``: records an event, with a key and a track token."""

import asyncio
from functools import partial

from sanic import HTTPResponse, Request

from common.http.responses import no_content
from common.values.errors import Unavailable
from common.values.messages import Message
from edge.admission.keys import admit_uncounted
from edge.context import EdgeContext, edge_of
from edge.request.call import call_of
from edge.spool.spool import SpoolFull
from edge.state.redemptions import Redeemed
from edge.tracking.redeem import settle
from edge.tracking.track_flow import start_track

RETRY_S = 5


def check_key(request: Request) -> None:
    """Checks the key before the body arrives. Raises what `start_track` would for the key; does not count its rate."""
    edge: EdgeContext = request.app.ctx.edge
    admit_uncounted(edge, call_of(request), edge.clock.now_ms())


async def handle(request: Request) -> HTTPResponse:
    edge = edge_of(request)
    answer: asyncio.Future[Redeemed] = asyncio.get_running_loop().create_future()
    start_track(edge, call_of(request), request.body, partial(settle, answer))
    try:
        result = await answer
    except SpoolFull:
        raise spool_full_error() from None
    return answer_to(edge, result)


def answer_to(edge: EdgeContext, result: Redeemed) -> HTTPResponse:
    return no_content({"X-Track-Result": result.value} if edge.environment.is_test else None)


def spool_full_error() -> Unavailable:
    return Unavailable(
        Message("The event could not be stored. Send it again."), retry_after_s=RETRY_S
    )
