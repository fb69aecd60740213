"""An event's network as PostgreSQL's binary `COPY` has a ``cidr``: the same few thousand come again and again."""

import struct
from functools import lru_cache
from ipaddress import ip_network

_FAMILIES = {4: 2, 6: 3}
"""As PostgreSQL numbers them."""
_KEPT = 65_536


@lru_cache(maxsize=_KEPT)
def pack_network(text: str) -> bytes:
    """Its length, then family, bits, that it is a cidr, and the address. Raises ValueError."""
    network = ip_network(text)
    raw = network.network_address.packed
    head = struct.pack(">BBBB", _FAMILIES[network.version], network.prefixlen, 1, len(raw))
    return (len(head) + len(raw)).to_bytes(4, "big") + head + raw


def is_network(text: str) -> bool:
    try:
        pack_network(text)
    except ValueError:
        return False
    return True
