"""
Pixel and click events beyond the rate of their address (`edge.admission.pixel_rate`). They are invalid: stored one by
one within a share of the spool, and summed by the second beyond it. A flood from one client thus cannot fill the spool.
"""

import contextlib

from sanic import Request

from common.http.client_address import client_at
from common.values.enums import EventKind, QualitySignal, Reason
from edge.admission.pixel_rate import exceeds_pixel_rate
from edge.context import EdgeContext
from edge.ports import token_key_of
from edge.request.call import call_of
from edge.request.device_headers import DeviceHeaders
from edge.spool.spool import SpoolFull
from edge.tracking.redeem import redeem, request_evidence
from edge.tracking.track_token import Verified


async def record_exceeded(
    edge: EdgeContext,
    token: Verified,
    kind: EventKind | QualitySignal,
    request: Request,
    now_ms: int,
) -> None:
    """
    `redeem` for a pixel or a link. Clients do not retry these, so a full spool raises nothing. The token must not have
    expired.

    Where the property renders on servers, a server that reports for a device names it in headers.
    """
    call = call_of(request)
    client, user_agent = call.client, None
    if token.property.server_rendering:
        device = DeviceHeaders(call.headers)
        user_agent = device.user_agent
        if device.address is not None:
            client = client_at(device.address, "", 0)
    evidence = request_evidence(call, ip=client.ip, server_caller=False, user_agent=user_agent)
    exceeds = exceeds_pixel_rate(edge, client, evidence.user_agent)
    if exceeds:
        edge.redeeming.counts.exceeded += 1
    if exceeds and not edge.exceeded.take():
        _sum(edge, token, kind)
        return
    reason = Reason.RATE_EXCEEDED if exceeds else None
    with contextlib.suppress(SpoolFull):
        await redeem(edge, token, kind, evidence, now_ms, reason=reason)


def _sum(edge: EdgeContext, token: Verified, kind: EventKind | QualitySignal) -> None:
    """Sums the event once a token and kind, as far as this worker remembers, as it would be stored once."""
    payload = token.payload
    token_key = token_key_of(payload.token_id, kind.value)
    if not edge.redeeming.claim_here(token_key, f"{token_key}:summed"):
        return
    edge.redeeming.counts.summed += 1
    edge.counters.count_exceeded(
        (
            str(payload.property_id),
            str(payload.slot_id),
            str(payload.campaign_id),
            str(payload.ad_id),
            kind,
            payload.format,
            payload.source,
            payload.surface,
        )
    )
