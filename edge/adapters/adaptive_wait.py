"""How long a caller waits for a response: as long as nearly all of the last responses took, within bounds."""

from collections import deque

_LAST = 200
_NOT_COUNTED = 2
"""The slowest of the last responses, which are ignored: one in a hundred."""
_MARGIN = 1.5
_EVERY = 20
"""The wait is computed again after so many responses."""


class AdaptiveWait:
    """
    Waits *min_s* while responses are fast, and never more than *max_s*. It waits *max_s* until `_EVERY` responses show
    how long they take. All times are of one monotonic clock.
    """

    def __init__(self, *, min_s: float, max_s: float) -> None:
        self.wait_s = max_s
        self._min_s = min_s
        self._max_s = max_s
        self._took_s: deque[float] = deque(maxlen=_LAST)
        self._since = 0

    def record(self, took_s: float) -> None:
        """Records the time that a response took, in time or late."""
        self._took_s.append(took_s)
        self._since += 1
        if self._since < _EVERY:
            return
        self._since = 0
        slow_s = sorted(self._took_s)[-1 - min(_NOT_COUNTED, len(self._took_s) // 100)]
        self.wait_s = min(self._max_s, max(self._min_s, _MARGIN * slow_s))
