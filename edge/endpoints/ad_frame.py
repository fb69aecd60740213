"""``GET /v1/frame/{token}``: the document of an html ad, outside the reach of the page's security policy (ADR 35)."""

from sanic import HTTPResponse, Request

from common.snapshot.model import Ad
from common.snapshot.snapshot import Snapshot
from common.values.enums import Format
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from edge.context import EdgeContext
from edge.serving.render.markup import SANDBOX, split_document
from edge.tracking.served_ad import verify_served_ad

_HEADERS = {
    "Content-Security-Policy": f"sandbox {SANDBOX}",
    "Cache-Control": "private, max-age=300",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
"""
There is no ``frame-ancestors``: even ``*`` refuses pages without an origin, and those of apps. There is no referrer,
because it would be this address, which contains the click token.
"""


async def handle(request: Request, token: str) -> HTTPResponse:
    """Returns the document. Counts nothing and redeems nothing, however often it is requested."""
    edge: EdgeContext = request.app.ctx.edge
    snapshot = edge.snapshots.current()
    found = verify_served_ad(edge, snapshot, token, edge.clock.now_ms())
    if found is None or found[1].format is not Format.HTML:
        raise _no_frame()
    click_url = f"{edge.settings.edge_url}/v1/click/{token}"
    document = click_url.join(_parts_of(snapshot, found[1]))
    return HTTPResponse(document, headers=_HEADERS, content_type="text/html; charset=utf-8")


def _parts_of(snapshot: Snapshot, ad: Ad) -> list[str]:
    """Cached across snapshots."""
    key = ("frame", ad.id)
    known: list[str] | None = snapshot.derived.get(key)
    if known is None:
        known = split_document(ad)
        snapshot.derived.put(key, known, (ad.id,))
    return known


def _no_frame() -> Refused:
    return Refused(
        ErrorCode.NOT_FOUND,
        Message(
            "This frame does not exist. Use the token of `click_url` exactly as in the serve "
            "response of an html ad."
        ),
    )
