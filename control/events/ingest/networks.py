"""An event's network as a ``cidr`` in PostgreSQL's binary `COPY`. Cached, because the same few thousand recur."""

import struct
from functools import lru_cache
from ipaddress import ip_network

_FAMILIES = {4: 2, 6: 3}
"""PostgreSQL's numbers of the address families."""
_KEPT = 65_536


@lru_cache(maxsize=_KEPT)
def pack_network(text: str) -> bytes:
    """Packs the length, then family, bits, the cidr flag and the address. Raises ValueError."""
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
