"""A salt store in memory, for tests: workers of one process share it."""

from common.values.clock import Clock
from edge.ports import SaltStoreUnavailable


class MemorySaltStore:
    """``away = True`` makes every call raise `SaltStoreUnavailable`."""

    def __init__(self, clock: Clock) -> None:
        self.is_unavailable = False
        self._clock = clock
        self._salts: dict[int, tuple[bytes, int]] = {}

    async def agree(self, day: int, proposed: bytes, until_ms: int) -> bytes:
        if self.is_unavailable:
            raise SaltStoreUnavailable
        now_ms = self._clock.now_ms()
        self._salts = {one: kept for one, kept in self._salts.items() if kept[1] > now_ms}
        if until_ms <= now_ms:
            return proposed
        return self._salts.setdefault(day, (proposed, until_ms))[0]

    async def close(self) -> None:
        self._salts.clear()
