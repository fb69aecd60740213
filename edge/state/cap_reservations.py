"""
Ads that were served and whose impression has not arrived yet, counted for a minute. A burst of requests thus cannot
exceed a cap before its first beacon arrives. Counts of this worker only, and bounded: above the limit the oldest is
evicted. Where the store's count has grown since a reservation, its impression arrived at another worker.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

RESERVED_MS = 60_000
MAX_RESERVATIONS = 100_000

_Name = tuple[bytes, str]
"""A person and a `cap_key`."""


@dataclass(slots=True)
class _Reservation:
    """``counted``: events of the key that were counted when it was made."""

    end_ms: int
    counted: int


class Reservations:
    def __init__(self, *, max_size: int = MAX_RESERVATIONS) -> None:
        self._max_size = max_size
        self._by_name: dict[_Name, deque[_Reservation]] = {}
        self._ends: deque[tuple[int, _Name]] = deque()
        """In the order of their ends. A released reservation stays here until its end and is then skipped."""

    def add(
        self, person: bytes, keys: Iterable[str], now_ms: int, counted: Callable[[str], int]
    ) -> None:
        """*counted*: events of a key that are counted by now, in the store or soon."""
        end_ms = now_ms + RESERVED_MS
        for key in keys:
            reservation = _Reservation(end_ms, counted(key))
            self._by_name.setdefault((person, key), deque()).append(reservation)
            self._ends.append((end_ms, (person, key)))
        self._forget(now_ms)

    def release(self, person: bytes, keys: Iterable[str]) -> None:
        """One event of each key arrived: releases the oldest reservation of each."""
        for key in keys:
            self._drop((person, key))

    def note_own(self, person: bytes, keys: Iterable[str]) -> None:
        """An event of each key that this worker counts itself: the remaining reservations still wait for theirs."""
        for key in keys:
            for reservation in self._by_name.get((person, key), ()):
                reservation.counted += 1

    def count(self, person: bytes, key: str, now_ms: int, counted: int) -> int:
        """Returns the reserved ads that are not among the *counted* events."""
        waiting = [one for one in self._by_name.get((person, key), ()) if one.end_ms > now_ms]
        sums = (min(one.counted, counted) + len(waiting) - n for n, one in enumerate(waiting))
        return max(0, max(sums, default=0) - counted)

    def __len__(self) -> int:
        return len(self._ends)

    def _forget(self, now_ms: int) -> None:
        while self._ends and (self._ends[0][0] <= now_ms or len(self._ends) > self._max_size):
            end_ms, name = self._ends.popleft()
            ends = self._by_name.get(name)
            if ends is not None and ends[0].end_ms <= end_ms:
                self._drop(name)

    def _drop(self, name: _Name) -> None:
        ends = self._by_name.get(name)
        if ends is None:
            return
        ends.popleft()
        if not ends:
            del self._by_name[name]
