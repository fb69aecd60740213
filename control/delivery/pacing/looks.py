"""When a campaign is to be looked at though no worker asked for it: once it may spend, and then again. Pure."""

import heapq

EVERY_MS = 300_000
"""
So often a campaign that nobody asks for is looked at: it keeps its figures young enough for workers that are new
(`control.delivery.leasing.figures_cache`), at 100 000 campaigns for some hundred of them in a round.
"""

TOGETHER_MS = 5_000
"""Looks due within so long fall on one instant: a question to PostgreSQL for a few costs as much as for hundreds."""


class Looks:
    """By campaign, the instant of its next look."""

    def __init__(self) -> None:
        self._due_ms: dict[str, int] = {}
        self._heap: list[tuple[int, str]] = []

    def __contains__(self, campaign_id: str) -> bool:
        return campaign_id in self._due_ms

    def put(self, campaign_id: str, due_ms: int) -> None:
        """In place of the instant it had, if any."""
        self._due_ms[campaign_id] = due_ms
        heapq.heappush(self._heap, (due_ms, campaign_id))

    def put_next(self, campaign_id: str, now_ms: int, change_ms: int) -> None:
        """*change_ms*: when its plan begins or begins anew, 0 where it does not."""
        due_ms = (now_ms + EVERY_MS) // TOGETHER_MS * TOGETHER_MS
        self.put(campaign_id, min(due_ms, change_ms) if change_ms > now_ms else due_ms)

    def is_due(self, now_ms: int) -> bool:
        return bool(self._heap) and self._heap[0][0] <= now_ms

    def take(self, now_ms: int, most: int) -> list[str]:
        """Those that are due, the oldest first; they are not known here any more."""
        found: list[str] = []
        while len(found) < most and self.is_due(now_ms):
            due_ms, campaign_id = heapq.heappop(self._heap)
            if self._due_ms.get(campaign_id) == due_ms:
                del self._due_ms[campaign_id]
                found.append(campaign_id)
        return found
