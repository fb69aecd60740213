"""An event by key and token: admitted, read, verified and begun, without Sanic and without waiting."""

from common.errors import ErrorCode, Refused
from common.tracking.token import Door, TokenInvalid
from edge.admission.keys import Admission, admit
from edge.admission.keys import Door as KeyDoor
from edge.context import EdgeContext
from edge.http.call import Call
from edge.tracking.redeem import Verified, begin, verify
from edge.tracking.redeeming import Done
from edge.tracking.showing import shown_by
from edge.tracking.track_body import parse_track_body


def begin_track(edge: EdgeContext, call: Call, body: bytes, done: Done) -> None:
    """*done* is told later what became of the event. Raises what refuses the call; then nothing is told."""
    now_ms = edge.clock.now_ms()
    admission = admit(edge, call, KeyDoor.TRACK, now_ms)
    asked = parse_track_body(body)
    token = verified(edge, admission, asked.token, now_ms)
    shown = shown_by(call.headers, ip=admission.client.ip, server_caller=admission.is_server)
    begin(edge, token, asked.event, shown, now_ms, conversion=asked.conversion, done=done)


def verified(edge: EdgeContext, admission: Admission, text: str, now_ms: int) -> Verified:
    """A track token in its time, of the property whose key was shown. Raises `Refused`."""
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
