"""The port to the table in which the edge machines of an environment divide rate limits."""

from dataclasses import dataclass
from typing import Protocol


class LimitStoreUnavailable(Exception):
    """The store did not respond in time. A machine keeps its shares of rate limits, and later its equal shares."""


@dataclass(frozen=True, slots=True)
class StoredLimits:
    """``raw``: a table of `edge.state.machine_shares`; empty: none. ``now_ms``: the store's clock, the same for all."""

    version: str
    raw: bytes
    now_ms: int


class LimitStore(Protocol):
    """One table of the edge machines of an environment, which they change in turn."""

    async def read(self) -> StoredLimits:
        """Raises `LimitStoreUnavailable`."""
        ...

    async def replace(self, version: str, raw: bytes) -> bool:
        """
        Stores *raw*, unless the table is another than that of *version*; returns whether it did. Raises
        `LimitStoreUnavailable`; *raw* may then be stored.
        """
        ...

    async def close(self) -> None: ...
