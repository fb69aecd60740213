"""Where workers leave their reports and find their grants."""

from collections.abc import Collection, Mapping
from typing import Protocol


class LeaseMailboxUnavailable(Exception):
    """Redis is away; leases end, and what is granted meanwhile is told when it is back."""


class LeaseMailbox(Protocol):
    """Every method raises `LeaseMailboxUnavailable` within a second; then any part may have been done."""

    async def reports(self) -> dict[str, bytes]:
        """By worker, the newest of each."""
        ...

    async def put(self, grants: Mapping[str, bytes]) -> None:
        """By worker."""
        ...

    async def forget(self, workers: Collection[str]) -> None: ...

    async def close(self) -> None: ...
