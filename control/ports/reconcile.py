"""Mailbox through which control requests missing records and reads what edges retain; control never calls an edge."""

from collections.abc import Mapping
from typing import Protocol

from common.tracking.reconcile import ReplayRequest, Retained


class ReplayMailbox(Protocol):
    """Keyed by writer. Every method raises `Unavailable` where the mailbox cannot be reached; the next pass retries."""

    async def request_replay(self, wanted: Mapping[str, ReplayRequest]) -> None:
        """Stores all currently missing records, and replaces the previous request."""
        ...

    async def retained(self) -> Mapping[str, Retained]:
        """Returns each machine's last report; reports older than a day are dropped."""
        ...

    async def close(self) -> None: ...


class NoReplayMailbox:
    """Default where none is wired: requests are dropped."""

    async def request_replay(self, wanted: Mapping[str, ReplayRequest]) -> None:
        del wanted

    async def retained(self) -> Mapping[str, Retained]:
        return {}

    async def close(self) -> None:
        """Does nothing, because nothing is open."""
