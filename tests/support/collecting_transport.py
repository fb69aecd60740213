"""A transport that keeps what is written: a connection without a network, for what depends on its exact moment."""

import asyncio
from collections.abc import Callable
from typing import Any

_EXTRA = {"peername": ("127.0.0.1", 40_000), "sockname": ("127.0.0.1", 8080)}


class CollectingTransport(asyncio.Transport):
    def __init__(self) -> None:
        super().__init__(_EXTRA)
        self.written = b""
        self.more = asyncio.Event()
        """Set at each write."""
        self.on_write: Callable[[], None] | None = None
        """Called after each write: a client that stops reading, say."""
        self._closing = False

    def write(self, data: Any) -> None:
        self.written += bytes(data)
        self.more.set()
        if self.on_write is not None:
            self.on_write()

    def write_eof(self) -> None:
        """Nobody reads the other end."""

    def close(self) -> None:
        self._closing = True

    def abort(self) -> None:
        self._closing = True

    def is_closing(self) -> bool:
        return self._closing

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Nothing is buffered."""

    def get_write_buffer_size(self) -> int:
        return 0

    def pause_reading(self) -> None:
        """What is received comes from the test."""

    def resume_reading(self) -> None:
        """What is received comes from the test."""
