"""Whose call it is, by address: the direct peer's, or what trusted proxies saw; never what a stranger writes."""

import ipaddress
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Protocol

from sanic import Request

_MAX_CHARS = 128
"""Of an address with its zone and port; what is longer is none."""
_UNKNOWN = "0.0.0.0"  # noqa: S104 - no address is bound; it stands for a peer without one


class ForwardedHeaders(Protocol):
    """What is read of the request's headers; names in lower case."""

    def getall(self, name: str, default: Sequence[str], /) -> Sequence[str]: ...


def peer_of(request: Request[Any, Any]) -> str:
    """The address of the connection's other end, empty where it has none."""
    return request.conn_info.client_ip if request.conn_info else ""


def client_address(peer: str, headers: ForwardedHeaders, proxies_count: int) -> str:
    """
    The direct peer, or, behind *proxies_count* trusted proxies, the address the outermost of them saw.

    With no trusted proxy ``X-Forwarded-For`` is never read: anyone can write it.
    """
    forwarded_for = "" if proxies_count == 0 else ",".join(headers.getall("x-forwarded-for", ()))
    return address_behind(peer, forwarded_for, proxies_count)


def address_behind(peer: str, forwarded_for: str, proxies_count: int) -> str:
    """`client_address`, of all ``X-Forwarded-For`` by comma."""
    ip = peer or _UNKNOWN
    if proxies_count > 0 and forwarded_for:
        ip = _forwarded(forwarded_for, proxies_count) or ip
    return ip


@lru_cache(maxsize=65_536)
def network_of(ip: str) -> str:
    """What a rate is counted by: IPv4 as it is (mapped into IPv6, too), IPv6 cut to /64; no address stays itself."""
    try:
        address = ipaddress.ip_address(ip)
    except ValueError:
        return ip
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(address) >> 64 << 64, 64)))


def site_of(ip: str) -> str:
    """
    The network that one subscriber or office usually has: IPv4 cut to /24 (mapped into IPv6, too), IPv6 to /56. For
    rare acts; `network_of` is what everyday rates are counted by. No address stays itself.
    """
    try:
        address = ipaddress.ip_address(network_of(ip).partition("/")[0])
    except ValueError:
        return ip
    length = 24 if isinstance(address, ipaddress.IPv4Address) else 56
    return str(ipaddress.ip_network((address, length), strict=False))


def _forwarded(forwarded_for: str, proxies_count: int) -> str | None:
    """The *proxies_count*-th address from the right, None where there are fewer or it is no address."""
    parts = [part.strip() for part in forwarded_for.split(",") if part.strip()]
    if len(parts) < proxies_count:
        return None
    text = parts[-proxies_count]
    return _address(text) if len(text) <= _MAX_CHARS else None


@lru_cache(maxsize=16_384)
def _address(text: str) -> str | None:
    """*text* without brackets and port, None where it is no address."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return None
