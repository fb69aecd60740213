"""One event of a track call, which may carry several: verifies its token, then starts its redemption."""

from common.contract.scenarios import DUPLICATE, EXPIRED
from edge.admission.keys import Admission
from edge.context import EdgeContext
from edge.request.call import Call
from edge.serving.test_controls import TestControls
from edge.state.redemptions import OnDone, Redeemed
from edge.tracking.redeem import begin, request_evidence
from edge.tracking.track_body import TrackBody
from edge.tracking.track_token import get_track_token, token_expired


def start_event(  # noqa: PLR0917 - all that an event follows from
    edge: EdgeContext,
    call: Call,
    admission: Admission,
    body: TrackBody,
    now_ms: int,
    trial: TestControls | None,
    done: OnDone,
) -> None:
    """*done* is called later with the result. Raises the errors that refuse the event; *done* is then not called."""
    token = get_track_token(edge, admission, body.token, now_ms)
    if trial is not None and trial.scenario == EXPIRED:
        raise token_expired(token)
    if trial is not None and trial.scenario == DUPLICATE:
        done(Redeemed.DUPLICATE)
        return
    is_address_unstated = bool(body.ua) and body.ip is None
    evidence = request_evidence(
        call,
        # The connection's address is that of the server, which the named user agent is not.
        ip=None if is_address_unstated else body.ip or admission.client.ip,
        server_caller=admission.is_server and body.ip is None and not body.ua,
        user_agent=body.ua,
        is_agent_unstated=body.ip is not None and not body.ua,
    )
    reason = None if trial is None else trial.reason
    begin(
        edge,
        token,
        body.event,
        evidence,
        now_ms,
        conversion=body.conversion,
        done=done,
        reason=reason,
    )
