"""Exchange of spent rates inside one process, for tests."""

from collections.abc import Mapping, Sequence

from control.ports.rates import Spend


class MemoryRateLimitSync:
    """*told* is shared by the instances that exchange rates."""

    def __init__(self, told: list[tuple["MemoryRateLimitSync", dict[str, Spend]]]) -> None:
        self._told = told
        self._heard: int | None = None

    async def tell(self, spent: Mapping[str, Spend]) -> None:
        if spent:
            self._told.append((self, dict(spent)))

    async def hear(self) -> Sequence[Mapping[str, Spend]]:
        before, self._heard = self._heard, len(self._told)
        if before is None:
            return ()
        return [spent for by, spent in self._told[before:] if by is not self]

    async def close(self) -> None:
        """Does nothing, because nothing is open."""
