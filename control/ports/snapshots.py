"""Interface to the channel on which publish sends snapshots to edges."""

from collections.abc import Collection, Mapping
from typing import Protocol

from common.snapshot.messages import Delta, FullState, Heartbeat
from common.values.environment import Environment


class SnapshotChannelUnavailable(Exception):
    """Redis is unavailable; publish retries, and edges pull when it is back."""


class SnapshotChannel(Protocol):
    """
    Channel of snapshots to edges. Every method raises `SnapshotChannelUnavailable` at most a few seconds after the
    outside stopped answering. Any part may then have been stored; repeating a call is harmless.
    """

    async def put_full(self, environment: Environment, full: FullState) -> None:
        """Replaces the full state atomically: readers see the previous one until the new one is complete."""
        ...

    async def put_delta(self, environment: Environment, delta: Delta) -> None:
        """Stores the delta in the ring, then as the head, then publishes a notification."""
        ...

    async def beat(self, environment: Environment, beat: Heartbeat) -> None:
        """Stores the heartbeat as the head, then publishes a notification."""
        ...

    async def find_head(self, environment: Environment) -> Heartbeat | None:
        """Returns the newest stored head, or None where it is missing or unreadable."""
        ...

    async def has_full(self, environment: Environment, epoch: str) -> int | None:
        """Returns the version of the complete full state of *epoch*, or None."""
        ...

    async def has_deltas(self, environment: Environment, after: int, through: int) -> bool:
        """Whether the ring holds every delta ``after + 1 … through``."""
        ...

    async def find_workers(self, environment: Environment) -> Mapping[str, bytes]:
        """Returns each worker's last ACK or NACK (`common.snapshot.status`), by name, of any age."""
        ...

    async def remove_workers(self, environment: Environment, names: Collection[str]) -> None: ...

    async def close(self) -> None: ...
