"""
Ads that were served and whose impression has not arrived yet, counted for a minute. A burst of requests thus cannot
exceed a cap before its first beacon arrives. Counts of this worker only, and bounded: above the limit the oldest is
evicted.
"""

from collections import deque
from collections.abc import Iterable

RESERVED_MS = 60_000
MOST = 100_000

_Name = tuple[bytes, str]
"""A person and a `cap_key`."""


class Reservations:
    def __init__(self, *, most: int = MOST) -> None:
        self._most = most
        self._by_name: dict[_Name, deque[int]] = {}
        self._ends: deque[tuple[int, _Name]] = deque()
        """In the order of their ends. A released reservation stays here until its end and is then skipped."""

    def add(self, person: bytes, keys: Iterable[str], now_ms: int) -> None:
        end_ms = now_ms + RESERVED_MS
        for key in keys:
            self._by_name.setdefault((person, key), deque()).append(end_ms)
            self._ends.append((end_ms, (person, key)))
        self._forget(now_ms)

    def release(self, person: bytes, keys: Iterable[str]) -> None:
        """One event of each key arrived: releases the oldest reservation of each."""
        for key in keys:
            self._drop((person, key))

    def count(self, person: bytes, key: str, now_ms: int) -> int:
        ends = self._by_name.get((person, key), ())
        return sum(1 for end_ms in ends if end_ms > now_ms)

    def __len__(self) -> int:
        return len(self._ends)

    def _forget(self, now_ms: int) -> None:
        while self._ends and (self._ends[0][0] <= now_ms or len(self._ends) > self._most):
            end_ms, name = self._ends.popleft()
            ends = self._by_name.get(name)
            if ends is not None and ends[0] <= end_ms:
                self._drop(name)

    def _drop(self, name: _Name) -> None:
        ends = self._by_name.get(name)
        if ends is None:
            return
        ends.popleft()
        if not ends:
            del self._by_name[name]
