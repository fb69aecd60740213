"""A cap store in memory, for tests. Its counts end with the process."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from common.decision.frequency import window_of
from common.decision.sliding_windows import counted, part_at
from edge.ports import CapStoreUnavailable, LateCounts, Seen


class MemoryCapStore:
    """
    ``is_unavailable = True`` makes every call raise `CapStoreUnavailable`; ``late = True`` makes counts arrive too
    late; ``loses_answers = True`` makes `add` raise after it counted.
    """

    wait_s = 0.0

    def __init__(self) -> None:
        self.is_unavailable = self.late = False
        self.reads = 0
        self._overdue: list[tuple[LateCounts, Mapping[str, int]]] = []
        self._last = 0
        self.loses_answers = False
        self._parts: dict[bytes, dict[str, Counter[int]]] = defaultdict(dict)

    async def counts(
        self,
        person: bytes,
        now_ms: int,
        late: LateCounts | None = None,
        wait_s: float | None = None,  # noqa: ARG002 - it answers at once
    ) -> Mapping[str, int]:
        self.reads += 1
        self._check()
        mine = self._parts.get(person, {})
        found = {key: counted(parts, window_of(key), now_ms) for key, parts in mine.items()}
        if not self.late:
            return found
        if late is not None:
            self._overdue.append((late, found))
        raise CapStoreUnavailable

    def answer_late(self) -> None:
        """Delivers the late counts to their callers."""
        while self._overdue:
            late, found = self._overdue.pop()
            late(found)

    async def add(self, seen: Sequence[Seen]) -> Sequence[Seen]:
        self._check()
        for one in seen:
            if 0 < one.number <= self._last:
                continue
            self._last = max(self._last, one.number)
            for key in one.keys:
                parts = self._parts[one.person].setdefault(key, Counter())
                parts[part_at(window_of(key), one.at_ms)] += 1
        if self.loses_answers:
            raise CapStoreUnavailable
        return ()

    async def close(self) -> None:
        self._parts.clear()

    def _check(self) -> None:
        if self.is_unavailable:
            raise CapStoreUnavailable
