"""Where control says which records it misses, and reads what edges still have: it never calls one."""

from collections.abc import Mapping
from typing import Protocol

from common.tracking.reconcile import ReplayRequest, Retained


class ReplayMailbox(Protocol):
    """By writer. Every call raises `Unavailable` where it cannot be reached; the next pass comes again."""

    async def ask(self, wanted: Mapping[str, ReplayRequest]) -> None:
        """All that is missing now, in place of what was asked for before."""
        ...

    async def kept(self) -> Mapping[str, Retained]:
        """What machines said last; those that have been silent for a day are forgotten."""
        ...

    async def close(self) -> None: ...


class NoReplayMailbox:
    """What stands where none was wired: nobody is asked."""

    async def ask(self, wanted: Mapping[str, ReplayRequest]) -> None:
        del wanted

    async def kept(self) -> Mapping[str, Retained]:
        return {}

    async def close(self) -> None:
        """Nothing is open."""
