"""``GET /v1/impression/{token}.gif``: an impression, reported by an image where no script runs."""

from sanic import HTTPResponse, Request

from common.tracking.token import TokenInvalid, TokenUse
from common.values.enums import EventKind
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from edge.context import EdgeContext, edge_of
from edge.request.call import Call
from edge.tracking.exceeded import OnHandled, record_exceeded, start_pixel_event
from edge.tracking.track_token import Verified, verify

GIF = (
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00"
    b",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)
"""43 bytes: one transparent pixel."""
NEVER_CACHED = {
    "Cache-Control": "no-store, no-cache, must-revalidate, private",
    "Pragma": "no-cache",
    "Expires": "0",
}


async def handle(request: Request, token: str) -> HTTPResponse:
    """
    Returns the image, counted or not: a browser cannot retry, so expiry and a full spool show in metrics only.

    A HEAD gets the same response and records no event; a prefetch records an invalid one. Neither redeems the token.
    """
    edge = edge_of(request)
    now_ms = edge.clock.now_ms()
    verified = _get_token(edge, token, now_ms)
    if request.method != "HEAD" and not verified.expired:
        await record_exceeded(edge, verified, EventKind.IMPRESSION, request, now_ms)
    return picture()


def start(edge: EdgeContext, call: Call, token: str, done: OnHandled) -> None:
    """
    `handle` for a GET on the fast path: *done* is called, now or later, when the response may be written. Raises the
    errors that refuse the call; *done* is then not called.
    """
    now_ms = edge.clock.now_ms()
    verified = _get_token(edge, token, now_ms)
    if verified.expired:
        done(None)
    else:
        start_pixel_event(edge, verified, EventKind.IMPRESSION, call, now_ms, done)


def _get_token(edge: EdgeContext, text: str, now_ms: int) -> Verified:
    """Raises `Refused`."""
    try:
        return verify(edge, edge.snapshots.current(), text, TokenUse.IMPRESSION, now_ms)
    except TokenInvalid:
        raise Refused(
            ErrorCode.NOT_FOUND,
            Message(
                "This pixel does not exist. Use `impression_url` exactly as in the serve response."
            ),
        ) from None


def picture() -> HTTPResponse:
    """The image, which no cache may store, so that each display sends a request."""
    return HTTPResponse(GIF, headers=NEVER_CACHED, content_type="image/gif")
