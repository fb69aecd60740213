"""Who is at the other end: an address that cannot be made up, and what kind of caller it looks like."""

import ipaddress
from dataclasses import dataclass
from functools import lru_cache

from sanic import Request

from common.keys import KeyKind
from common.vocabulary import Surface

_UNKNOWN = "0.0.0.0"  # noqa: S104 - no address is bound; it stands for a peer without one
_SURFACE_OF_PROPERTY = {
    "email": Surface.EMAIL,
    "audio": Surface.AUDIO,
    "ctv": Surface.CTV,
}
_APP_AGENTS = (
    ("Dart/", Surface.FLUTTER),
    ("okhttp/", Surface.ANDROID),
    ("Dalvik/", Surface.ANDROID),
    ("Android", Surface.ANDROID),
    ("CFNetwork/", Surface.IOS),
    ("iPhone", Surface.IOS),
    ("iPad", Surface.IOS),
)


@dataclass(slots=True)
class Client:
    """``network`` is what a rate is counted by: the IPv4 address, or the /64 an IPv6 address lies in."""

    ip: str
    network: str
    user_agent: str | None


def client_of(request: Request, proxies_count: int) -> Client:
    """
    The direct peer, or, behind *proxies_count* trusted proxies, the address the outermost of them saw.

    With no trusted proxy ``X-Forwarded-For`` is never read: anyone can write it.
    """
    peer = request.conn_info.client_ip if request.conn_info else ""
    ip = peer or _UNKNOWN
    if proxies_count > 0:
        ip = _forwarded(request, proxies_count) or ip
    return Client(ip, network_of(ip), request.headers.get("user-agent"))


@lru_cache(maxsize=65_536)
def network_of(ip: str) -> str:
    """IPv4 as it is (mapped into IPv6, too), IPv6 cut to /64; what is no address stays itself."""
    try:
        address = ipaddress.ip_address(ip)
    except ValueError:
        return ip
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(address) >> 64 << 64, 64)))


def surface_of(kind: KeyKind, property_kind: str, user_agent: str | None) -> Surface:
    """Where the ad will be seen, as far as key, property and user agent tell."""
    if kind is KeyKind.SECRET:
        return Surface.SERVER
    by_property = _SURFACE_OF_PROPERTY.get(property_kind)
    if by_property is not None:
        return by_property
    if property_kind == "app" and user_agent is not None:
        for mark, surface in _APP_AGENTS:
            if mark in user_agent:
                return surface
    return Surface.WEB


def _forwarded(request: Request, proxies_count: int) -> str | None:
    """The *proxies_count*-th address from the right, None where there are fewer or it is no address."""
    joined = ",".join(request.headers.getall("x-forwarded-for", ()))
    parts = [part.strip() for part in joined.split(",") if part.strip()]
    if len(parts) < proxies_count:
        return None
    return _address(parts[-proxies_count])


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
