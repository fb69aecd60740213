"""``GET /v1/click/{token}``: counts a click and redirects to the ad's destination."""

from sanic import HTTPResponse, Request

from common.snapshot.model import Ad
from common.values.enums import EventKind
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from edge.context import edge_of
from edge.tracking.destination import DestinationInvalid, build_destination
from edge.tracking.exceeded import record_exceeded
from edge.tracking.served_ad import verify_served_ad
from edge.tracking.track_token import Verified


async def handle(request: Request, token: str) -> HTTPResponse:
    """
    302 for every valid token, expired or not. Redeems a token that has not expired, except for HEAD.

    A prefetch is stored as an invalid click.
    """
    edge = edge_of(request)
    now_ms = edge.clock.now_ms()
    snapshot = edge.snapshots.current()
    found = verify_served_ad(edge, snapshot, token, now_ms)
    if found is None:
        raise _nowhere()
    verified, ad = found
    click_id = edge.click_ids.sign(verified.payload.token_id)
    destination = _destination(ad, verified, click_id, now_ms)
    if request.method != "HEAD" and not verified.expired:
        await record_exceeded(edge, verified, EventKind.CLICK, request, now_ms)
    return redirect_to(destination)


def redirect_to(destination: str) -> HTTPResponse:
    headers = {
        "Location": destination,
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
    }
    return HTTPResponse(b"", status=302, headers=headers, content_type="text/plain; charset=utf-8")


def _destination(ad: Ad, token: Verified, click_id: str, now_ms: int) -> str:
    if ad.click_url is None:
        raise _nowhere()
    try:
        return build_destination(ad.click_url, token.payload, click_id, now_ms)
    except DestinationInvalid:
        raise _nowhere() from None


def _nowhere() -> Refused:
    return Refused(
        ErrorCode.NOT_FOUND,
        Message(
            "This click has no destination. Use `click_url` exactly as in the serve response. "
            "The ad may have been deleted."
        ),
    )
