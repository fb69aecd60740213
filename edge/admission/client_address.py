"""The client's address, which it cannot forge, and the surface that its ads are shown on (ADR 38)."""

from typing import Final, final

from common.http.client_address import address_behind, network_of
from common.values.enums import Surface
from common.values.generation_cache import GenerationCache
from common.values.keys import KeyKind
from edge.request.call import Call

_MAX_KEPT: Final = 32_768
_MAX_KEPT_CHARS: Final = 200
"""Longest ``X-Forwarded-For`` that is cached, so that strangers cannot fill the memory."""
_SURFACE_OF_PROPERTY: Final = {
    "email": Surface.EMAIL,
    "audio": Surface.AUDIO,
    "ctv": Surface.CTV,
}
LIBRARIES: Final = {
    "web": Surface.WEB,
    "android": Surface.ANDROID,
    "ios": Surface.IOS,
    "flutter": Surface.FLUTTER,
}
"""Client libraries, by the NAME of their ``NAME/VERSION``."""
_APP_AGENTS: Final = (
    ("Dart/", Surface.FLUTTER),
    ("okhttp/", Surface.ANDROID),
    ("Dalvik/", Surface.ANDROID),
    ("Android", Surface.ANDROID),
    ("CFNetwork/", Surface.IOS),
    ("iPhone", Surface.IOS),
    ("iPad", Surface.IOS),
)


@final
class Client:
    """A client address. ``network``: the unit of rate limits: an IPv4 address, or the /64 of an IPv6 address."""

    def __init__(self, ip: str, network: str) -> None:
        self.ip = ip
        self.network = network


_remembered = GenerationCache(_MAX_KEPT)


def client_of(call: Call, proxies_count: int) -> Client:
    """*proxies_count*: the number of trusted proxies in front of the edge, see `common.http.client_address`."""
    return client_at(call.peer, call.forwarded_for, proxies_count)


def client_at(peer: str, forwarded_for: str, proxies_count: int) -> Client:
    """As `client_of`, from the parts of a request. Results are cached."""
    key = (peer, forwarded_for if proxies_count else "", proxies_count)
    client: Client | None = _remembered.get(key)
    if client is None:
        ip = address_behind(*key)
        client = Client(ip, network_of(ip))
        if len(key[1]) <= _MAX_KEPT_CHARS:
            _remembered.put(key, client)
    return client


def library_surface(text: str | None) -> Surface | None:
    """The surface of a client library's ``NAME/VERSION``; None for unknown names."""
    return None if text is None else LIBRARIES.get(text.partition("/")[0].strip().lower())


def surface_of(
    kind: KeyKind, property_kind: str, user_agent: str | None, output: str = "json"
) -> Surface:
    """
    The surface of a request that names none: derived from output, key, property and user agent.

    `Opportunity.surface_of` takes the ad's format into account as well.
    """
    if output == "amp":
        return Surface.AMP
    if output == "vast" and property_kind == "ctv":
        return Surface.CTV
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
