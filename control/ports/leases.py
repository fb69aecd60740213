"""Interface to the mailbox of lease reports and grants in Redis."""

from collections.abc import Collection, Mapping
from typing import Protocol


class LeaseMailboxUnavailable(Exception):
    """Redis is unavailable. Leases end, and grants made in the meantime are sent when it is back."""


class LeaseMailbox(Protocol):
    """Every method raises `LeaseMailboxUnavailable` within a second; any part of its work may then have been done."""

    async def reports(self) -> dict[str, bytes]:
        """Returns the newest report of each worker."""
        ...

    async def put(self, grants: Mapping[str, bytes]) -> None:
        """Stores *grants*, by worker."""
        ...

    async def delete(self, workers: Collection[str]) -> None: ...

    async def close(self) -> None: ...
