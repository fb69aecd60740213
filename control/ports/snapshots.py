"""Where publish puts snapshots for edges."""

from collections.abc import Collection, Mapping
from typing import Protocol

from common.snapshot.messages import Delta, FullState, Heartbeat
from common.values.environment import Environment


class SnapshotChannelUnavailable(Exception):
    """Redis is away; publish retries, and edges pull when it is back."""


class SnapshotChannel(Protocol):
    """
    Where publish puts snapshots for edges. Every method raises `SnapshotChannelUnavailable` a few seconds after the
    outside stopped answering at the latest; then any part may have arrived, and doing it again does no harm.
    """

    async def put_full(self, environment: Environment, full: FullState) -> None:
        """Whole or not at all: readers find the one before until all of it stands there."""
        ...

    async def put_delta(self, environment: Environment, delta: Delta) -> None:
        """Into the ring, then as the head, then on the bell."""
        ...

    async def beat(self, environment: Environment, beat: Heartbeat) -> None:
        """As the head, then on the bell."""
        ...

    async def find_head(self, environment: Environment) -> Heartbeat | None:
        """The newest head that was put, None where there is none or none that can be read."""
        ...

    async def has_full(self, environment: Environment, epoch: str) -> int | None:
        """The version of the full state that stands there whole for *epoch*, or None."""
        ...

    async def has_deltas(self, environment: Environment, after: int, through: int) -> bool:
        """Whether the ring holds every delta ``after + 1 … through``."""
        ...

    async def find_workers(self, environment: Environment) -> Mapping[str, bytes]:
        """Each worker's last ACK or NACK (`common.snapshot.status`), by name, however old."""
        ...

    async def forget_workers(self, environment: Environment, names: Collection[str]) -> None: ...

    async def close(self) -> None: ...
