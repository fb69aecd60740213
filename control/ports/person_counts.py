"""Interface to the frequency counts of edges, limited to what a person's privacy request needs."""

from collections.abc import Mapping, Sequence
from typing import Protocol


class FrequencyCounts(Protocol):
    """People are keyed hashes as `common.privacy.person` makes them, of both environments. Raises `Unavailable`."""

    async def read(self, people: Sequence[bytes]) -> Sequence[Mapping[str, str]]:
        """Returns one record for each stored count."""
        ...

    async def erase(self, people: Sequence[bytes]) -> int:
        """Deletes the counts and returns how many there were."""
        ...

    async def close(self) -> None: ...


class NoFrequencyCounts:
    """Default where none is wired: there are no counts."""

    async def read(self, people: Sequence[bytes]) -> Sequence[Mapping[str, str]]:
        del people
        return ()

    async def erase(self, people: Sequence[bytes]) -> int:
        del people
        return 0

    async def close(self) -> None:
        """Does nothing, because nothing is open."""
