"""``GET /v1/impression/{token}.gif``: an impression, reported by an image where no script runs."""

from sanic import HTTPResponse, Request

from common.tracking.token import TokenInvalid, TokenUse
from common.values.enums import EventKind
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from edge.context import EdgeContext
from edge.tracking.exceeded import record_exceeded
from edge.tracking.track_token import verify

GIF = (
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00"
    b",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)
"""43 bytes: one transparent pixel."""
NEVER_CACHED = {
    "Cache-Control": "no-store, no-cache, must-revalidate, private",
    "Pragma": "no-cache",
    "Expires": "0",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "X-Content-Type-Options": "nosniff",
}


async def handle(request: Request, token: str) -> HTTPResponse:
    """
    Returns the image, counted or not: a browser cannot retry, so expiry and a full spool show in metrics only.

    A HEAD gets the same response and records no event; a prefetch records an invalid one. Neither redeems the token.
    """
    edge: EdgeContext = request.app.ctx.edge
    now_ms = edge.clock.now_ms()
    try:
        verified = verify(edge, edge.snapshots.current(), token, TokenUse.IMPRESSION, now_ms)
    except TokenInvalid:
        raise Refused(
            ErrorCode.NOT_FOUND,
            Message(
                "This pixel does not exist. Use `impression_url` exactly as in the serve response."
            ),
        ) from None
    if request.method != "HEAD" and not verified.expired:
        await record_exceeded(edge, verified, EventKind.IMPRESSION, request, now_ms)
    return picture()


def picture() -> HTTPResponse:
    """The image, which no cache may store, so that each display sends a request."""
    return HTTPResponse(GIF, headers=NEVER_CACHED, content_type="image/gif")
