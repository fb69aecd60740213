"""Exchange of spent rates inside one process, for tests."""

from collections.abc import Mapping, Sequence

from control.ports.rates import Spend


class MemoryRateLimitSync:
    """*reports* is shared by the instances that exchange rates."""

    def __init__(self, reports: list[tuple["MemoryRateLimitSync", dict[str, Spend]]]) -> None:
        self._reports = reports
        self._received: int | None = None

    async def report(self, spent: Mapping[str, Spend]) -> None:
        if spent:
            self._reports.append((self, dict(spent)))

    async def receive(self) -> Sequence[Mapping[str, Spend]]:
        before, self._received = self._received, len(self._reports)
        if before is None:
            return ()
        return [spent for by, spent in self._reports[before:] if by is not self]

    async def close(self) -> None:
        """Does nothing, because nothing is open."""
