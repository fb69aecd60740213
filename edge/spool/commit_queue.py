"""Appends that wait for the next commit, in order. It decides how long a commit waits for others to share its sync."""

import asyncio
from collections import deque

from edge.spool.pending_append import Append

_OFFERED_S = 0.05
"""How long a record waits that no request waits for."""
_COMMIT_RECORDS = 1_000


class CommitQueue:
    """A queue of `Append`s. Belongs to one event loop."""

    def __init__(self) -> None:
        self._appends: deque[Append] = deque()
        self._hurry = asyncio.Event()

    def __len__(self) -> int:
        return len(self._appends)

    @property
    def is_crowded(self) -> bool:
        """The queue fills one commit: there is no room for records that are only offered."""
        return len(self._appends) >= _COMMIT_RECORDS

    def put(self, append: Append) -> None:
        self._appends.append(append)
        if len(self._appends) * 2 >= _COMMIT_RECORDS:
            self.hurry()

    def hurry(self) -> None:
        """A request waits for an append in the queue, or for one that is about to be put."""
        self._hurry.set()

    async def wait_for_company(self) -> None:
        """Waits for more appends. Returns at once after `hurry`."""
        if self._hurry.is_set():
            return
        due = asyncio.get_running_loop().call_later(_OFFERED_S, self._hurry.set)
        try:
            await self._hurry.wait()
        finally:
            due.cancel()

    def take(self) -> tuple[list[Append], int]:
        """The appends of the next commit, and their number of records."""
        taken, records = [], 0
        while self._appends and records < _COMMIT_RECORDS:
            append = self._appends.popleft()
            taken.append(append)
            records += len(append.entries)
        if not self._appends:
            self._hurry.clear()
        return taken, records
