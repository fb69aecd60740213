"""``GET /v1/conversions/{click_id}.gif``: a conversion, reported by an image on the advertiser's thank-you page."""

from sanic import HTTPResponse, Request

from common.values.clock import to_ms
from common.values.enums import EventKind
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from edge.context import EdgeContext, edge_of
from edge.endpoints.impression import picture
from edge.ports import TokenStoreUnavailable, token_key_of
from edge.request.call import call_of
from edge.state.click_ids import ClickId
from edge.tracking.conversion_body import parse_conversion_query
from edge.tracking.conversions import record_pixel_conversion
from edge.tracking.redeem import request_evidence

PIXELS_PER_IP_S = 200
"""The request has no key with a rate of its own, so this is the properties' rate for track requests of an address."""
UNSIGNED_PER_IP_S = 5
UNSIGNED_S = 50
"""
Rates of one address and of all together. An id without a tag may be invented, and its conversion waits in the database
for a click.
"""
_UNSIGNED_FOR_MS = 30 * 86_400_000


async def handle(request: Request, click_id: str) -> HTTPResponse:
    """
    Returns the image, whether the click exists or not: ingest checks that.

    A HEAD and a prefetch get the same response and record nothing.
    """
    edge = edge_of(request)
    now_ms = edge.clock.now_ms()
    call = call_of(request)
    client = call.client
    limiter, at_ms = edge.limiter, edge.clock.monotonic_ms()
    _check_rate(limiter.take(("conversion", client.network), PIXELS_PER_IP_S, at_ms))
    click = edge.click_ids.find(click_id)
    if click is None or not (click.is_signed or _takes_unsigned(edge, now_ms)):
        raise Refused(
            ErrorCode.NOT_FOUND,
            Message(
                "This pixel does not exist. Put the complete `sa_click_id` of the landing page's URL "
                "before `.gif`, unchanged: a UUID, a dot and a tag."
            ),
        )
    if not click.is_signed:
        network = ("unsigned conversion", client.network)
        _check_rate(limiter.take(network, UNSIGNED_PER_IP_S, at_ms))
        _check_rate(limiter.take(("unsigned conversions",), UNSIGNED_S, at_ms))
    elif not await _is_counted(edge, click):
        most = edge.settings.conversions_of_unknown_clicks_s
        _check_rate(limiter.take(("conversions of unknown clicks",), most, at_ms))
    event_name, conversion = parse_conversion_query(request.query_string)
    if request.method != "HEAD" and not call.caller.prefetch:
        evidence = request_evidence(call, ip=client.ip, server_caller=False, reads_origin=False)
        await record_pixel_conversion(
            edge, click, evidence, now_ms, event_name=event_name, conversion=conversion
        )
    return picture()


async def _is_counted(edge: EdgeContext, click: ClickId) -> bool:
    """
    Whether the token store has this click: then the click is real, and the total rate need not apply.

    The store keeps a click as long as its token lives. Returns False for an older click, and while the store is
    unavailable.
    """
    try:
        (is_counted,) = await edge.tokens.seen([token_key_of(click.id, EventKind.CLICK.value)])
    except TokenStoreUnavailable:
        return False
    return is_counted


def _takes_unsigned(edge: EdgeContext, now_ms: int) -> bool:
    return now_ms < to_ms(edge.settings.clicks_signed_since) + _UNSIGNED_FOR_MS


def _check_rate(wait_s: int) -> None:
    if wait_s:
        raise Refused(
            ErrorCode.RATE_LIMITED,
            Message(
                "Too many requests. Wait {wait_s} s, then send them more slowly.", wait_s=wait_s
            ),
            retry_after_s=wait_s,
        )
