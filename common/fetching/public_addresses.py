"""
Decides which addresses are public. `ipaddress.is_global` alone is not enough: it accepts addresses that embed a private
one (NAT64, 6to4, Teredo), and its lists depend on Python's patch level.
"""

import ipaddress
from collections.abc import Sequence

_PUBLIC_V6 = ipaddress.ip_network("2000::/3")
"""
The only assigned range of global unicast (RFC 4291, IANA).

It excludes all other ranges that map or embed IPv4.
"""

_NOT_PUBLIC = tuple(
    ipaddress.ip_network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "168.63.129.16/32",  # Azure's host, reachable from its guests only
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",
        "2001::/23",  # Teredo, ORCHID, benchmarks
        "2001:db8::/32",
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",
        "3ffe::/16",
        "3fff::/20",
    )
)
_NOT_PUBLIC_V4 = tuple(net for net in _NOT_PUBLIC if isinstance(net, ipaddress.IPv4Network))
_NOT_PUBLIC_V6 = tuple(net for net in _NOT_PUBLIC if isinstance(net, ipaddress.IPv6Network))

_LOOPBACK = ("127.0.0.1", "::1")

Networks = Sequence[ipaddress.IPv4Network | ipaddress.IPv6Network]


def is_public(text: str) -> bool:
    """Whether *text* is an address that any host can reach; False where it is not an address."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if not address.is_global or address.is_multicast:
        return False
    if isinstance(address, ipaddress.IPv6Address):
        outside = address not in _PUBLIC_V6 or address.scope_id is not None
        return not outside and not any(address in net for net in _NOT_PUBLIC_V6)
    return not any(address in net for net in _NOT_PUBLIC_V4)


def is_within(text: str, networks: Networks) -> bool:
    """Whether *text* is an address in one of *networks*; False where it is not an address."""
    if not networks:
        return False
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return any(address in network for network in networks)


def listed_addresses(host: str, networks: Networks) -> tuple[str, ...]:
    """
    The addresses in *networks* that *host* names without a look-up: itself where it is one, those of loopback for
    `localhost`. Empty for every other name.
    """
    named = _LOOPBACK if host == "localhost" else (host,)
    return tuple([address for address in named if is_within(address, networks)])
