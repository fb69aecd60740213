"""A process's cache of past snapshots: those requested last. Each is built once, one at a time."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from common.snapshot.snapshot import Snapshot
from common.values.environment import Environment
from control.reporting.decision_log.past_snapshots import Version, build_for, read_state
from control.storage.database import Database

KEPT_OBJECTS = 200_000
"""Of all cached snapshots together: about half a gigabyte."""

Given = TypeVar("Given")


@dataclass(frozen=True, slots=True)
class RequestedSnapshot:
    account_id: str
    property_id: str
    environment: Environment
    version: Version
    named_ads: frozenset[str] = frozenset()


@dataclass(slots=True)
class RebuiltSnapshots:
    """
    Snapshots are built, and decisions made, in a thread, one at a time.

    The API's event loop and other cores stay free.

    The cache is no `GenerationCache`: one snapshot may be as large as the limit, so the limit holds for all of them,
    and the one that was used longest ago is released at once.
    """

    _kept: OrderedDict[RequestedSnapshot, Snapshot] = field(default_factory=OrderedDict)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def get(self, database: Database, wanted: RequestedSnapshot) -> Snapshot:
        """Raises `Unavailable`, `SnapshotInvalid`."""
        async with self._lock:
            found = self._kept.get(wanted)
            if found is None:
                async with database.service() as session:
                    state = await read_state(
                        session, wanted.account_id, wanted.environment, wanted.version.number
                    )
                found = await asyncio.to_thread(
                    build_for,
                    wanted.property_id,
                    wanted.environment,
                    wanted.version,
                    state,
                    named_ads=wanted.named_ads,
                )
                self._keep(wanted, found)
            self._kept.move_to_end(wanted)
            return found

    async def run(self, work: Callable[[], Given]) -> Given:
        """Runs *work* in a thread once the lock is free."""
        async with self._lock:
            return await asyncio.to_thread(work)

    def _keep(self, wanted: RequestedSnapshot, snapshot: Snapshot) -> None:
        self._kept[wanted] = snapshot
        while len(self._kept) > 1 and sum(map(_objects, self._kept.values())) > KEPT_OBJECTS:
            self._kept.popitem(last=False)


def _objects(snapshot: Snapshot) -> int:
    return len(snapshot.campaigns) + len(snapshot.ads) + len(snapshot.rates) + len(snapshot.paces)
