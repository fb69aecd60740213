"""Handles a call with one event, a key and a token: admits, parses and starts it, without Sanic and without waiting."""

from common.contract.scenarios import TRACK_SCENARIOS
from edge.admission.keys import RouteGroup, admit
from edge.context import EdgeContext
from edge.request.call import Call
from edge.serving.test_controls import parse_test_controls
from edge.state.redemptions import OnDone
from edge.tracking.track_body import parse_track_body
from edge.tracking.track_event import start_event


def start_track(edge: EdgeContext, call: Call, body: bytes, done: OnDone) -> None:
    """
    *done* is called later with the result of the event. Raises the errors that refuse the call; *done* is then not
    called.
    """
    now_ms = edge.clock.now_ms()
    admission = admit(edge, call, RouteGroup.TRACK, now_ms)
    trial = parse_test_controls(edge, call, TRACK_SCENARIOS, now_ms)
    track_body = parse_track_body(body, believed=admission.is_believed)
    start_event(edge, call, admission, track_body, now_ms, trial, done)
