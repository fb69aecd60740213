"""``GET /v1/features``: what a client library must know of its property, cacheable."""

from collections.abc import Iterable

from sanic import HTTPResponse, Request

from common.http.responses import JSON
from edge.admission.keys import Door, admit
from edge.context import EdgeContext
from edge.endpoints.features_book import TTL_S, features_of
from edge.http.call import call_of


async def handle(request: Request) -> HTTPResponse:
    edge: EdgeContext = request.app.ctx.edge
    admission = admit(edge, call_of(request), Door.FEATURES, edge.clock.now_ms())
    features = features_of(admission.snapshot, admission.property)
    headers = {
        "ETag": features.etag,
        "Vary": "X-Service-Key",
        "Cache-Control": f"{'public, ' if admission.key_in_url else ''}max-age={TTL_S}",
    }
    if _matches(request.headers.getall("if-none-match", ()), features.etag):
        return HTTPResponse(None, status=304, headers=headers)
    return HTTPResponse(features.body, headers=headers, content_type=JSON)


def _matches(given: Iterable[str], etag: str) -> bool:
    """``If-None-Match``: a list of tags or ``*``, weak tags compared as strong ones."""
    tags = [tag.strip().removeprefix("W/") for value in given for tag in value.split(",")]
    return "*" in tags or etag in tags
