"""The anonymized data of a request that may leave the process: truncated addresses, referrer origins, a keyed hash."""

import re
from functools import lru_cache
from hashlib import blake2b
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

_IPV4_KEPT_BITS = 24
_IPV6_KEPT_BITS = 56
_HASH_BYTES = 8
_MAX_ORIGIN_CHARS = 300
_MAX_START_CHARS = 1_024
"""Of a URL up to its path; one of unusual form counts with its path. Longer texts would fill the cache."""
_MAX_ADDRESS_CHARS = 64
_KEPT = 16_384
"""Cached addresses and origins: a client that sends one event soon sends another."""
_ORIGIN_START = re.compile(r"[a-z]+://[A-Za-z0-9.:-]+(?=[/?#]|\Z)").match


def find_address(text: str) -> IPv4Address | IPv6Address | None:
    """Returns the address, where an IPv4 address in IPv6 form becomes IPv4; None where *text* is not an address."""
    return _address_of(text) if len(text) <= _MAX_ADDRESS_CHARS else None


@lru_cache(maxsize=_KEPT)
def _address_of(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def find_prefix(text: str) -> str | None:
    """Returns `cut_address` of the address in *text*; None where it is not an address."""
    return _prefix_of(text) if len(text) <= _MAX_ADDRESS_CHARS else None


@lru_cache(maxsize=_KEPT)
def _prefix_of(text: str) -> str | None:
    address = _address_of(text)
    return None if address is None else cut_address(address)


def cut_address(address: IPv4Address | IPv6Address) -> str:
    """Truncates IPv4 to its /24, IPv6 to its /56: ``203.0.113.0/24``."""
    kept = _IPV4_KEPT_BITS if address.version == 4 else _IPV6_KEPT_BITS  # noqa: PLR2004 - IP version
    dropped = address.max_prefixlen - kept
    return f"{type(address)(int(address) >> dropped << dropped)}/{kept}"


def find_origin(url: str | None) -> str | None:
    """Returns ``scheme://host[:port]`` of an http(s) URL, lower case, never with userinfo; None for anything else."""
    if not url or len(url) > 8192:  # noqa: PLR2004 - no honest header is longer
        return None
    # The part after the host does not matter, and would prevent cache hits.
    start = _ORIGIN_START(url)
    text = url if start is None else start[0]
    return _origin_of(text) if len(text) <= _MAX_START_CHARS else None


@lru_cache(maxsize=_KEPT)
def _origin_of(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host or not host.isascii():
        return None
    if ":" in host:
        host = f"[{host}]"
    origin = f"{parts.scheme}://{host}" + (f":{port}" if port else "")
    return origin if len(origin) <= _MAX_ORIGIN_CHARS else None


def hash_client(salt: bytes, property_id: str, address: str, user_agent: str) -> str:
    """Returns 16 hex digits that distinguish clients of one property while the salt exists, and nothing else."""
    message = f"{property_id}\0{address}\0{user_agent}".encode(errors="replace")
    return blake2b(message, digest_size=_HASH_BYTES, key=salt).hexdigest()
