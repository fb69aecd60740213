"""The connections of one app: how many it holds and may hold, and how many it got rid of unasked."""

import asyncio
from dataclasses import dataclass

STALLED_S = 30.0
"""A client that takes fewer than `LEAST_BYTES` of what waits for it in so long is cut."""
LEAST_BYTES = 16_384


@dataclass(slots=True)
class Connections:
    """Written by the protocol, read by metrics. *stalled_s*: `STALLED_S`, unless a test is in a hurry."""

    most: int
    stalled_s: float = STALLED_S
    open: int = 0
    refused: int = 0
    """Closed as they came, for there were as many as may be."""
    stalled: int = 0
    """Cut, for the client did not read its answers."""


class ReaderWatch:
    """
    One connection's: cuts a client that does not read what waits for it.

    Sanic's own timeouts answer such a client with one more thing to read, and wait for that.
    """

    __slots__ = ("_counted", "_loop", "_timer", "_unread_bytes")

    def __init__(self, loop: asyncio.AbstractEventLoop, counted: Connections) -> None:
        self._loop = loop
        self._counted = counted
        self._timer: asyncio.TimerHandle | None = None
        self._unread_bytes = 0

    def watch(self, transport: asyncio.Transport) -> None:
        """Begins when more waits than a transport should hold."""
        self._unread_bytes = transport.get_write_buffer_size()
        self._timer = self._loop.call_later(self._counted.stalled_s, self._look, transport)

    def leave(self) -> None:
        """It has read, or is gone."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self, transport: asyncio.Transport) -> None:
        if self._unread_bytes - transport.get_write_buffer_size() >= LEAST_BYTES:
            self.watch(transport)
            return
        self._counted.stalled += 1
        transport.abort()
