"""A cap store in memory, for tests: it forgets with its process."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from common.decision.frequency import window_of
from common.decision.windows import counted, part_at
from edge.ports import CapStoreUnavailable, Seen


class MemoryCapStore:
    """``away = True`` makes every call raise `CapStoreUnavailable`."""

    def __init__(self) -> None:
        self.away = False
        self.reads = 0
        self._parts: dict[bytes, dict[str, Counter[int]]] = defaultdict(dict)

    async def counts(self, person: bytes, now_ms: int) -> Mapping[str, int]:
        self.reads += 1
        self._check()
        mine = self._parts.get(person, {})
        return {key: counted(parts, window_of(key), now_ms) for key, parts in mine.items()}

    async def add(self, seen: Sequence[Seen]) -> None:
        self._check()
        for one in seen:
            for key in one.keys:
                parts = self._parts[one.person].setdefault(key, Counter())
                parts[part_at(window_of(key), one.at_ms)] += 1

    async def close(self) -> None:
        self._parts.clear()

    def _check(self) -> None:
        if self.away:
            raise CapStoreUnavailable
