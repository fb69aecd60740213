"""
The client's address of a request: the direct peer's, or the one that trusted proxies saw; never one that the client
wrote.
"""

import ipaddress
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, Protocol, final

from sanic import Request

from common.values.generation_cache import GenerationCache

_MAX_CHARS = 128
"""Maximum length of an address with its zone and port; longer text is not an address."""
_UNKNOWN = "0.0.0.0"  # noqa: S104 - no address is bound; it stands for a peer without one
_MAX_KEPT: Final = 32_768
_MAX_KEPT_CHARS: Final = 200
"""Longest ``X-Forwarded-For`` that is cached, so that clients cannot fill the memory."""


class ForwardedHeaders(Protocol):
    """The request headers that are read; names in lower case."""

    def getall(self, name: str, default: Sequence[str], /) -> Sequence[str]: ...


@final
class Client:
    """A client address. ``network``: the unit of rate limits: an IPv4 address, or the /64 of an IPv6 address."""

    def __init__(self, ip: str, network: str) -> None:
        self.ip = ip
        self.network = network


_remembered = GenerationCache(_MAX_KEPT)


def client_at(peer: str, forwarded_for: str, proxies_count: int) -> Client:
    """`address_behind`, with its network; cached. *proxies_count*: the trusted proxies in front of the service."""
    key = (peer, forwarded_for if proxies_count else "", proxies_count)
    client: Client | None = _remembered.get(key)
    if client is None:
        ip = address_behind(*key)
        client = Client(ip, network_of(ip))
        if len(key[1]) <= _MAX_KEPT_CHARS:
            _remembered.put(key, client)
    return client


def peer_of(request: Request[Any, Any]) -> str:
    """Returns the address of the connection's other end, empty where it has none."""
    return request.conn_info.client_ip if request.conn_info else ""


def client_address(peer: str, headers: ForwardedHeaders, proxies_count: int) -> str:
    """
    Returns the direct peer, or, behind *proxies_count* trusted proxies, the address that the outermost of them saw.

    Without trusted proxies ``X-Forwarded-For`` is never read: anyone can write it.
    """
    forwarded_for = "" if proxies_count == 0 else ",".join(headers.getall("x-forwarded-for", ()))
    return address_behind(peer, forwarded_for, proxies_count)


def address_behind(peer: str, forwarded_for: str, proxies_count: int) -> str:
    """`client_address` for the values of ``X-Forwarded-For``, joined by comma."""
    ip = peer or _UNKNOWN
    if proxies_count > 0 and forwarded_for:
        ip = _forwarded(forwarded_for, proxies_count) or ip
    return ip


@lru_cache(maxsize=65_536)
def network_of(ip: str) -> str:
    """Returns the key of rate limits: IPv4 as it is (also mapped into IPv6), IPv6 as its /64; other text unchanged."""
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
    Returns the usual network of one subscriber or office: the /24 of IPv4 (also mapped into IPv6), the /56 of IPv6. It
    is for rare actions; ordinary rates use `network_of`. Other text is returned unchanged.
    """
    try:
        address = ipaddress.ip_address(network_of(ip).partition("/")[0])
    except ValueError:
        return ip
    length = 24 if isinstance(address, ipaddress.IPv4Address) else 56
    return str(ipaddress.ip_network((address, length), strict=False))


def _forwarded(forwarded_for: str, proxies_count: int) -> str | None:
    """Returns the *proxies_count*-th address from the right; None where there are fewer, or it is not an address."""
    parts = [part.strip() for part in forwarded_for.split(",") if part.strip()]
    if len(parts) < proxies_count:
        return None
    text = parts[-proxies_count]
    return _address(text) if len(text) <= _MAX_CHARS else None


@lru_cache(maxsize=16_384)
def _address(text: str) -> str | None:
    """Returns *text* without brackets and port; None where it is not an address."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return None
