"""The connections of one app: the open ones and their limit, the bytes they send, and counts of those it closed."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from common.http.client_address import ForwardedHeaders, client_address, network_of
from common.values.errors import ErrorCode, Refused, Unavailable
from common.values.messages import Message

MAX_CONNECTIONS = 12_000
"""Open at once in one process; further ones are accepted and closed."""
MAX_PER_ADDRESS = 512
"""Open at once from one address (IPv6: one /64) in one process."""
MAX_HELD_BYTES = 67_108_864
"""Total size of bodies that are being received or processed."""
MAX_HELD_BYTES_PER_ADDRESS = 8_388_608
"""The same for one address."""

STALLED_S = 30.0
"""A client that reads fewer than `MIN_BYTES` of its pending data in this time is disconnected."""
MIN_BYTES = 16_384


@dataclass(slots=True)
class Connections:
    """
    Written by the protocol, read by metrics. *stalled_s*: `STALLED_S`, except in tests.

    Without trusted proxies the address of a connection is its peer's. With *proxies_count* of them every peer is a
    proxy, and may have any number of connections up to *most*. The limit for an address then applies to calls in
    progress, by the address that the proxies saw.
    """

    most: int = MAX_CONNECTIONS
    stalled_s: float = STALLED_S
    max_per_address: int = MAX_PER_ADDRESS
    proxies_count: int = 0
    max_held_bytes: int = MAX_HELD_BYTES
    max_held_bytes_per_address: int = MAX_HELD_BYTES_PER_ADDRESS
    open: int = 0
    refused: int = 0
    """Closed on arrival, because the limit was reached."""
    stalled: int = 0
    """Closed, because the client did not read its responses."""
    held_bytes: int = 0
    _by_address: dict[str, int] = field(default_factory=dict)
    _held_by_address: dict[str, int] = field(default_factory=dict)

    def enter(self, peer: str) -> str | None:
        """Returns the address that a new connection of *peer* counts for, until `leave`; None where it has too many."""
        if self.proxies_count or not peer:
            return ""
        return self._count(network_of(peer))

    def enter_call(self, peer: str, headers: ForwardedHeaders) -> str:
        """The same for a call behind trusted proxies. Raises `Refused`."""
        address = network_of(client_address(peer, headers, self.proxies_count))
        if self._count(address) is None:
            raise Refused(
                ErrorCode.RATE_LIMITED,
                Message(
                    "This address has {max_requests} requests in progress, the maximum. Wait for a "
                    "response, then send the next one.",
                    max_requests=self.max_per_address,
                ),
                retry_after_s=1,
            )
        return address

    def leave(self, address: str) -> None:
        _subtract(self._by_address, address, 1)

    def hold(self, address: str, count: int) -> None:
        """Counts *count* more bytes of a body for *address*, until `release`. Raises `ApiError`: 429, 503."""
        held = self._held_by_address.get(address, 0) + count
        if address and held > self.max_held_bytes_per_address:
            raise Refused(
                ErrorCode.RATE_LIMITED,
                Message(
                    "This address sends too much data at once. Wait for the responses, then send more."
                ),
                retry_after_s=1,
            )
        if self.held_bytes + count > self.max_held_bytes:
            raise Unavailable(
                Message("The server is receiving too much data at the moment. Try again shortly.")
            )
        self._held_by_address[address] = held
        self.held_bytes += count

    def release(self, address: str, count: int) -> None:
        _subtract(self._held_by_address, address, count)
        self.held_bytes -= count

    def _count(self, address: str) -> str | None:
        count = self._by_address.get(address, 0)
        if count >= self.max_per_address:
            return None
        self._by_address[address] = count + 1
        return address


def _subtract(counts: dict[str, int], address: str, count: int) -> None:
    left = counts.pop(address, 0) - count
    if left > 0:
        counts[address] = left


def peer_address(peer: object) -> str:
    """Returns the address in a transport's ``peername``; empty for a Unix socket, which has none."""
    return str(peer[0]) if isinstance(peer, Sequence) and not isinstance(peer, str) else ""


class SlowReaderGuard:
    """
    Closes one connection if its client does not read its pending data.

    Sanic's own timeouts send such a client one more response, and wait until it is read.
    """

    __slots__ = ("_counted", "_loop", "_timer", "_unread_bytes")

    def __init__(self, loop: asyncio.AbstractEventLoop, counted: Connections) -> None:
        self._loop = loop
        self._counted = counted
        self._timer: asyncio.TimerHandle | None = None
        self._unread_bytes = 0

    def watch(self, transport: asyncio.Transport) -> None:
        """Starts the timer; called when more data is pending than a transport should buffer."""
        self._unread_bytes = transport.get_write_buffer_size()
        self._timer = self._loop.call_later(self._counted.stalled_s, self._check, transport)

    def leave(self) -> None:
        """Stops the timer: the client has read, or is gone."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self, transport: asyncio.Transport) -> None:
        if self._unread_bytes - transport.get_write_buffer_size() >= MIN_BYTES:
            self.watch(transport)
            return
        self._counted.stalled += 1
        transport.abort()
