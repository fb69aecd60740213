"""``POST /v1/conversions``: an advertiser's server reports a conversion."""

from sanic import HTTPResponse, Request

from common.http.responses import json_response
from edge.admission.keys import RouteGroup, admit_server, admit_server_uncounted
from edge.context import EdgeContext, edge_of
from edge.endpoints.track import spool_full_error
from edge.request.call import call_of
from edge.spool.spool import SpoolFull
from edge.tracking.conversion_body import parse_conversion_body
from edge.tracking.conversions import record_server_conversion
from edge.tracking.redeem import request_evidence

_REPLAYED = {"Idempotent-Replayed": "true"}


def check_server_key(request: Request) -> None:
    """Checks the key before the body arrives. Raises what `handle` would raise for the key; does not count its rate."""
    edge: EdgeContext = request.app.ctx.edge
    admit_server_uncounted(edge, call_of(request), edge.clock.now_ms())


async def handle(request: Request) -> HTTPResponse:
    """202 once the conversion is on disk. Counts against the key's track rate."""
    edge = edge_of(request)
    now_ms = edge.clock.now_ms()
    call = call_of(request)
    admission = admit_server(edge, call, RouteGroup.TRACK, now_ms)
    key = request.headers.get("idempotency-key")
    body = parse_conversion_body(request.body, now_ms, key, edge.click_ids)
    evidence = request_evidence(
        call, ip=admission.client.ip, server_caller=True, reads_origin=False
    )
    idempotency = admission.property.id, body.idempotency_key, request.body
    replayed = await edge.reused_keys.check(*idempotency)
    try:
        conversion_id = await record_server_conversion(edge, admission, body, evidence, now_ms)
    except SpoolFull:
        raise spool_full_error() from None
    await edge.reused_keys.record(*idempotency)
    headers = _REPLAYED if replayed else None
    return json_response({"conversion_id": str(conversion_id)}, status=202, headers=headers)
