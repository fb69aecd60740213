"""Handles an event with key and token: admits, parses, verifies and starts it, without Sanic and without waiting."""

from common.contract.scenarios import DUPLICATE, EXPIRED, TRACK_SCENARIOS
from common.tracking.token import TokenInvalid, TokenUse
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from edge.admission.keys import Admission, admit
from edge.admission.keys import RouteGroup as KeyDoor
from edge.context import EdgeContext
from edge.request.call import Call
from edge.serving.test_controls import TestControls, parse_test_controls
from edge.state.redemptions import OnDone, Redeemed
from edge.tracking.redeem import Verified, begin, verify
from edge.tracking.request_evidence import request_evidence
from edge.tracking.track_body import TrackBody, parse_track_body


def start_track(edge: EdgeContext, call: Call, body: bytes, done: OnDone) -> None:
    """
    *done* is called later with the result of the event. Raises the errors that refuse the call; *done* is then not
    called.
    """
    now_ms = edge.clock.now_ms()
    admission = admit(edge, call, KeyDoor.TRACK, now_ms)
    trial = parse_test_controls(edge, call, TRACK_SCENARIOS, now_ms)
    asked = parse_track_body(body, believed=admission.is_believed)
    begin_one(edge, call, admission, asked, now_ms, trial, done)


def begin_one(  # noqa: PLR0917 - all that an event follows from
    edge: EdgeContext,
    call: Call,
    admission: Admission,
    asked: TrackBody,
    now_ms: int,
    trial: TestControls | None,
    done: OnDone,
) -> None:
    """Starts one event of a call, which may carry several. Raises as `start_track`."""
    token = verified(edge, admission, asked.token, now_ms)
    if trial is not None and trial.scenario == EXPIRED:
        raise _expired(token)
    if trial is not None and trial.scenario == DUPLICATE:
        done(Redeemed.DUPLICATE)
        return
    says_nothing = asked.ip is None and asked.ua is None
    shown = request_evidence(
        call,
        ip=asked.ip or admission.client.ip,
        server_caller=admission.is_server and says_nothing,
        user_agent=asked.ua,
    )
    reason = None if trial is None else trial.reason
    begin(
        edge,
        token,
        asked.event,
        shown,
        now_ms,
        conversion=asked.conversion,
        done=done,
        reason=reason,
    )


def verified(edge: EdgeContext, admission: Admission, text: str, now_ms: int) -> Verified:
    """A valid, unexpired track token of the property whose key was sent. Raises `Refused`."""
    try:
        token = verify(edge, admission.snapshot, text, TokenUse.TRACK, now_ms)
    except TokenInvalid:
        raise Refused(
            ErrorCode.TOKEN_INVALID,
            Message(
                "This is not a track token of this edge. Send the serve response's track_token "
                "unchanged."
            ),
            param="token",
        ) from None
    if token.property.id != admission.property.id:
        raise Refused(
            ErrorCode.TOKEN_MISMATCH,
            Message(
                "The token and the key belong to different properties. Use the key of the serve "
                "request."
            ),
            param="token",
        )
    if token.expired:
        raise _expired(token)
    return token


def _expired(token: Verified) -> Refused:
    return Refused(
        ErrorCode.TOKEN_EXPIRED,
        Message(
            "The token has expired after {life_s} s. Request a new ad.", life_s=token.payload.life_s
        ),
        param="token",
    )
