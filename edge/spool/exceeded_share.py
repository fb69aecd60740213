"""Limits the part of the spool that events beyond the rate of their address may fill."""

from collections import deque

from edge.spool.spool import Spool

_RECORD_BYTES = 1024
"""Bytes of a record in the spool, rounded up: records take 700 to 1 000."""


class ExceededShare:
    """Counts such events until the event log has settled them."""

    def __init__(self, spool: Spool, max_bytes: int) -> None:
        self._spool = spool
        self._most = max_bytes // _RECORD_BYTES
        self._kept: deque[int] = deque()
        """A lower bound of each record's sequence."""

    def take(self) -> bool:
        """Takes room for one more event; False if there is none."""
        settled = self._spool.settled
        while self._kept and self._kept[0] <= settled:
            self._kept.popleft()
        if len(self._kept) >= self._most or self._spool.nearly_full:
            return False
        self._kept.append(self._spool.last_sequence + 1)
        return True
