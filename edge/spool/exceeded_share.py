"""How much of the spool events beyond the rate of their address may fill."""

from collections import deque

from edge.spool.spool import Spool

_RECORD_BYTES = 1024
"""What a record takes in the spool, rounded up: 700 to 1 000."""


class ExceededShare:
    """Counts those that the event log has not taken yet."""

    def __init__(self, spool: Spool, max_bytes: int) -> None:
        self._spool = spool
        self._most = max_bytes // _RECORD_BYTES
        self._kept: deque[int] = deque()
        """Sequences that the records have at least."""

    def take(self) -> bool:
        """Room for one more; False where there is none."""
        settled = self._spool.settled
        while self._kept and self._kept[0] <= settled:
            self._kept.popleft()
        if len(self._kept) >= self._most or self._spool.nearly_full:
            return False
        self._kept.append(self._spool.last_sequence + 1)
        return True
