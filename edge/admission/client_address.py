"""Who is at the other end: an address that cannot be made up, and what its ads are shown on (ADR 38)."""

from typing import Final, final

from common.http.client_address import address_behind, network_of
from common.values.enums import Surface
from common.values.keys import KeyKind
from edge.request.call import Call

_MAX_KEPT: Final = 65_536
_MAX_KEPT_CHARS: Final = 200
"""Of an ``X-Forwarded-For``: longer ones are read anew, so that strangers cannot fill the memory."""
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
    """``network`` is what a rate is counted by: the IPv4 address, or the /64 an IPv6 address lies in."""

    def __init__(self, ip: str, network: str) -> None:
        self.ip = ip
        self.network = network


_remembered: dict[tuple[str, str, int], Client] = {}


def client_of(call: Call, proxies_count: int) -> Client:
    """*proxies_count*: trusted proxies before the edge, see `common.http.client_address`."""
    return client_at(call.peer, call.forwarded_for, proxies_count)


def client_at(peer: str, forwarded_for: str, proxies_count: int) -> Client:
    """Remembered."""
    key = (peer, forwarded_for if proxies_count else "", proxies_count)
    client = _remembered.get(key)
    if client is None:
        ip = address_behind(*key)
        client = Client(ip, network_of(ip))
        if len(key[1]) <= _MAX_KEPT_CHARS:
            if len(_remembered) >= _MAX_KEPT:
                _remembered.clear()
            _remembered[key] = client
    return client


def library_surface(text: str | None) -> Surface | None:
    """Of a client library's ``NAME/VERSION``; None for names that are not known."""
    return None if text is None else LIBRARIES.get(text.partition("/")[0].strip().lower())


def surface_of(
    kind: KeyKind, property_kind: str, user_agent: str | None, output: str = "json"
) -> Surface:
    """
    What an ad will be shown on where nobody names it: by the output, the key, the property and the user agent.
    `Opportunity.surface_of` adds what the ad itself says.
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
