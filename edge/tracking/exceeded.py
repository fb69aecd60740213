"""
Pixel and click events beyond the rate of their address (`edge.admission.pixel_rate`). They are invalid: stored one by
one within a share of the spool, and summed by the second beyond it. A flood from one client thus cannot fill the spool.
"""

import asyncio
from collections.abc import Callable
from functools import partial

from sanic import Request

from common.http.client_address import client_at
from common.values.enums import EventKind, QualitySignal, Reason
from edge.admission.pixel_rate import exceeds_pixel_rate
from edge.context import EdgeContext
from edge.ports import token_key_of
from edge.request.call import Call, call_of
from edge.request.device_headers import DeviceHeaders
from edge.spool.spool import SpoolFull
from edge.state.redemptions import Redeemed
from edge.tracking.redeem import NO_CONVERSION, begin, request_evidence
from edge.tracking.track_token import Verified

OnHandled = Callable[[Exception | None], None]
"""Called once, on the event loop: with a fault, or with None when the event was handled. Must not raise."""


async def record_exceeded(
    edge: EdgeContext,
    token: Verified,
    kind: EventKind | QualitySignal,
    request: Request,
    now_ms: int,
) -> None:
    """`start_pixel_event`, and waits for it."""
    handled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    start_pixel_event(edge, token, kind, call_of(request), now_ms, partial(_settle, handled))
    await handled


def start_pixel_event(  # noqa: PLR0917 - all that an event follows from
    edge: EdgeContext,
    token: Verified,
    kind: EventKind | QualitySignal,
    call: Call,
    now_ms: int,
    done: OnHandled,
) -> None:
    """
    `begin` for a pixel or a link. Clients do not retry these, so a full spool is no fault. The token must not have
    expired.

    Where the property renders on servers, a server that reports for a device names it in headers. The rate is that of
    the device's address, else of the server's.
    """
    client, user_agent = call.client, None
    ip: str | None = client.ip
    is_agent_unstated = False
    if token.property.server_rendering:
        device = DeviceHeaders(call.headers)
        user_agent = device.user_agent
        if device.address is not None:
            client = client_at(device.address, "", 0)
            ip, is_agent_unstated = client.ip, user_agent is None
        elif user_agent is not None:
            ip = None
    evidence = request_evidence(
        call,
        ip=ip,
        server_caller=False,
        user_agent=user_agent,
        is_agent_unstated=is_agent_unstated,
    )
    exceeds = exceeds_pixel_rate(edge, client, evidence.user_agent)
    if exceeds:
        edge.redemptions.counts.exceeded += 1
    if exceeds and not edge.exceeded.take():
        _sum(edge, token, kind)
        done(None)
        return
    begin(
        edge,
        token,
        kind,
        evidence,
        now_ms,
        conversion=NO_CONVERSION,
        done=partial(_report, done),
        reason=Reason.RATE_EXCEEDED if exceeds else None,
    )


def _report(done: OnHandled, result: Redeemed | Exception) -> None:
    done(None if isinstance(result, Redeemed | SpoolFull) else result)


def _settle(handled: "asyncio.Future[None]", fault: Exception | None) -> None:
    if handled.done():  # its caller disconnected
        return
    if fault is None:
        handled.set_result(None)
    else:
        handled.set_exception(fault)


def _sum(edge: EdgeContext, token: Verified, kind: EventKind | QualitySignal) -> None:
    """
    Sums the event once a token and kind, as far as this worker has it cached, as it would be stored once. Previews are
    left out.
    """
    payload = token.payload
    if payload.preview:
        return
    token_key = token_key_of(payload.token_id, kind.value)
    if not edge.redemptions.claim_here(token_key, f"{token_key}:summed"):
        return
    edge.redemptions.counts.summed += 1
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
