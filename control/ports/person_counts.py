"""What edges count of people for frequency caps, as far as the control plane may look: to answer a person's request."""

from collections.abc import Mapping, Sequence
from typing import Protocol


class FrequencyCounts(Protocol):
    """*people*: keyed hashes, as `common.privacy.person` makes them; of both environments. Raises `Unavailable`."""

    async def read(self, people: Sequence[bytes]) -> Sequence[Mapping[str, str]]:
        """One record for each count that is kept."""
        ...

    async def erase(self, people: Sequence[bytes]) -> int:
        """How many counts went."""
        ...

    async def close(self) -> None: ...


class NoFrequencyCounts:
    """What stands where none was wired: no edge counts anything."""

    async def read(self, people: Sequence[bytes]) -> Sequence[Mapping[str, str]]:
        del people
        return ()

    async def erase(self, people: Sequence[bytes]) -> int:
        del people
        return 0

    async def close(self) -> None:
        """Nothing is open."""
