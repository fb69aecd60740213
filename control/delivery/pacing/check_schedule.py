"""Schedules a campaign's next check where no worker requests it: once it may spend, then regularly. Pure."""

import heapq

EVERY_MS = 300_000
"""
Interval of checks of a campaign that no worker requests. It keeps figures fresh enough for new workers
(`control.delivery.leasing.figures_cache`). With 100 000 campaigns, some hundred are checked in a round.
"""

TOGETHER_MS = 5_000
"""Checks due within this time are moved to one instant: a query for a few costs as much as one for hundreds."""


_MAX_POPS = 5_000
"""
Entries that one `CheckSchedule.take` removes at most, those included that `put` replaced. The loop waits for all.
"""


class CheckSchedule:
    """The instant of the next check, by campaign."""

    def __init__(self) -> None:
        self._due_ms: dict[str, int] = {}
        self._heap: list[tuple[int, str]] = []

    def __contains__(self, campaign_id: str) -> bool:
        return campaign_id in self._due_ms

    def put(self, campaign_id: str, due_ms: int) -> None:
        """Sets the instant, unless an earlier one is set."""
        if due_ms < self._due_ms.get(campaign_id, due_ms + 1):
            self._due_ms[campaign_id] = due_ms
            heapq.heappush(self._heap, (due_ms, campaign_id))

    def put_next(self, campaign_id: str, now_ms: int, change_ms: int) -> None:
        """*change_ms*: when the campaign's plan starts or restarts; 0 where it does not."""
        due_ms = (now_ms + EVERY_MS) // TOGETHER_MS * TOGETHER_MS
        self.put(campaign_id, min(due_ms, change_ms) if change_ms > now_ms else due_ms)

    def is_due(self, now_ms: int) -> bool:
        return bool(self._heap) and self._heap[0][0] <= now_ms

    def take(self, now_ms: int, most: int) -> list[str]:
        """Removes and returns due campaigns, the oldest first. It may return fewer than are due."""
        found: list[str] = []
        for _ in range(_MAX_POPS):
            if len(found) == most or not self.is_due(now_ms):
                break
            due_ms, campaign_id = heapq.heappop(self._heap)
            if self._due_ms.get(campaign_id) == due_ms:
                del self._due_ms[campaign_id]
                found.append(campaign_id)
        return found
