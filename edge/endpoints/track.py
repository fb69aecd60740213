"""``POST /v1/track``: an event by key and token."""

from sanic import HTTPResponse, Request

from common.errors import ErrorCode, Refused, Unavailable
from common.http.responses import no_content
from common.tracking.token import Door, TokenInvalid
from edge.admission.keys import Admission, admit
from edge.admission.keys import Door as KeyDoor
from edge.context import EdgeContext
from edge.events.spool import SpoolFull
from edge.http.call import call_of
from edge.tracking.redeem import Verified, redeem, verify
from edge.tracking.showing import shown_by
from edge.tracking.track_body import parse_track_body

RETRY_S = 5


async def handle(request: Request) -> HTTPResponse:
    edge: EdgeContext = request.app.ctx.edge
    now_ms = edge.clock.now_ms()
    admission = admit(edge, call_of(request), KeyDoor.TRACK, now_ms)
    body = parse_track_body(request.body)
    token = _verified(edge, admission, body.token, now_ms)
    shown = shown_by(request, ip=admission.client.ip, server_caller=admission.is_server)
    try:
        result = await redeem(edge, token, body.event, shown, now_ms, conversion=body.conversion)
    except SpoolFull:
        raise Unavailable(
            "The event could not be kept. Send it again.", retry_after_s=RETRY_S
        ) from None
    return no_content({"X-Track-Result": result.value} if edge.environment.is_test else None)


def _verified(edge: EdgeContext, admission: Admission, text: str, now_ms: int) -> Verified:
    try:
        token = verify(edge, admission.snapshot, text, Door.TRACK, now_ms)
    except TokenInvalid:
        raise Refused(
            ErrorCode.TOKEN_INVALID,
            "This is no track token of this edge. Send the serve response's track_token unchanged.",
            param="token",
        ) from None
    if token.property.id != admission.property.id:
        raise Refused(
            ErrorCode.TOKEN_MISMATCH,
            "The token belongs to another property than the key. Use the key it was served with.",
            param="token",
        )
    if token.expired:
        raise Refused(
            ErrorCode.TOKEN_EXPIRED,
            f"The token's time of {token.payload.life_s} s is over. Serve a new ad.",
            param="token",
        )
    return token
