"""
Rate of pixel and click requests of one address.

None is refused, because a client that loads an image or follows a link cannot try again. Requests over the rate are
invalid traffic (ADR 45).
"""

from common.http.client_address import Client
from common.ivt.lists import ranges_of
from common.ivt.mail import fetches_for_many
from common.privacy.anonymize import find_address
from edge.context import EdgeContext


def exceeds_pixel_rate(edge: EdgeContext, client: Client, user_agent: str | None) -> bool:
    """
    Counts the request, and returns whether it exceeds the rate.

    An address of many users (a mail proxy, or one of ``pixel_proxies``) has a second, larger rate, which applies after
    the usual one is exceeded.
    """
    settings, now_ms = edge.settings, edge.clock.monotonic_ms()
    if not edge.limiter.take(("pixel", client.network), settings.pixel_per_ip_s, now_ms):
        return False
    if not _is_of_many(edge, client, user_agent):
        return True
    bucket = ("pixel of many", client.network)
    return edge.limiter.take(bucket, settings.pixel_per_proxy_s, now_ms) > 0


def _is_of_many(edge: EdgeContext, client: Client, user_agent: str | None) -> bool:
    if user_agent is not None and fetches_for_many(user_agent):
        return True
    proxies = edge.settings.pixel_proxies
    address = find_address(client.ip) if proxies else None
    return address is not None and address in ranges_of(proxies)
