"""``GET /v1/frame/{token}``: an html ad's own document, where a page's policy does not reach it (ADR 35)."""

from sanic import HTTPResponse, Request

from common.snapshot.model import Ad
from common.snapshot.snapshot import Snapshot
from common.values.enums import Format
from common.values.errors import ErrorCode, Refused
from edge.context import EdgeContext
from edge.serving.render.markup import SANDBOX, split_document
from edge.tracking.served_ad import find_served_ad

_HEADERS = {
    "Content-Security-Policy": f"sandbox {SANDBOX}",
    "Cache-Control": "private, max-age=300",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
"""
Nothing about ancestors: ``frame-ancestors *`` refuses pages without an origin, and those of apps. The referrer would be
this address, and with it the click's token.
"""


async def handle(request: Request, token: str) -> HTTPResponse:
    """Counts nothing and redeems nothing, whoever asks and however often."""
    edge: EdgeContext = request.app.ctx.edge
    snapshot = edge.snapshots.current()
    found = find_served_ad(edge, snapshot, token, edge.clock.now_ms())
    if found is None or found[1].format is not Format.HTML:
        raise _no_frame()
    click_url = f"{edge.settings.edge_url}/v1/click/{token}"
    document = click_url.join(_parts_of(snapshot, found[1]))
    return HTTPResponse(document, headers=_HEADERS, content_type="text/html; charset=utf-8")


def _parts_of(snapshot: Snapshot, ad: Ad) -> list[str]:
    """Kept along snapshots."""
    key = ("frame", ad.id)
    known: list[str] | None = snapshot.derived.get(key)
    if known is None:
        known = split_document(ad)
        snapshot.derived.keep(key, known, (ad.id,))
    return known


def _no_frame() -> Refused:
    return Refused(
        ErrorCode.NOT_FOUND,
        "No such frame. Take the token of click_url as the serve response of an html ad has it.",
    )
