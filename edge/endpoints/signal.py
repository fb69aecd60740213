"""
``GET /v1/signal/{event}/{token}.gif``: a quality signal, or a click whose destination opens elsewhere, reported by an
image. Players load these URLs from a VAST document.
"""

import re
from typing import Final

from sanic import HTTPResponse, Request

from common.tracking.token import TokenInvalid, TokenUse
from common.values.enums import EventKind, QualitySignal
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from edge.context import edge_of
from edge.endpoints.impression import picture
from edge.tracking.exceeded import record_exceeded
from edge.tracking.track_token import verify

_KINDS: Final[dict[str, tuple[EventKind | QualitySignal, TokenUse]]] = {
    **{signal.value: (signal, TokenUse.IMPRESSION) for signal in QualitySignal},
    EventKind.CLICK.value: (EventKind.CLICK, TokenUse.CLICK),
}
_ERROR_CODE = re.compile(r"[1-9][0-9]{2}")
"""The standard's error codes have three digits (VAST 4.2, "VAST Error Codes")."""
_OTHER_CODE: Final = "other"


async def handle(request: Request, event: str, token: str) -> HTTPResponse:
    """As `edge.endpoints.impression`: the same image, counted or not."""
    edge = edge_of(request)
    now_ms = edge.clock.now_ms()
    found = _KINDS.get(event)
    if found is None:
        raise _unknown()
    kind, use = found
    try:
        verified = verify(edge, edge.snapshots.current(), token, use, now_ms)
    except TokenInvalid:
        raise _unknown() from None
    if request.method != "HEAD" and not verified.expired:
        if kind is QualitySignal.ERROR:
            edge.metrics.player_errors[_error_code(request)] += 1
        await record_exceeded(edge, verified, kind, request, now_ms)
    return picture()


def _error_code(request: Request) -> str:
    """Bounded, because the code is a label of a metric: a player that leaves the macro as it is counts as other."""
    code = request.args.get("code") or ""
    return code if _ERROR_CODE.fullmatch(code) else _OTHER_CODE


def _unknown() -> Refused:
    return Refused(
        ErrorCode.NOT_FOUND,
        Message("This pixel does not exist. Use the URLs exactly as in the serve response."),
    )
