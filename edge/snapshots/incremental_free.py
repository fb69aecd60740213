"""Frees replaced snapshots little by little: freeing one at once would block the event loop."""

import asyncio
import weakref
from collections import deque
from typing import Any

from common.decision.index import owned_parts
from common.service.cooperative import TimeSlice
from common.snapshot.snapshot import Snapshot

_AT_ONCE = 20
_CHECK_S = 0.01
MAX_WAIT_S = 1.0
"""So long after its replacement, a snapshot that a request still uses is left to that request."""
_MAPS = (
    "campaigns_by_property",
    "ads_by_campaign",
    "slots_by_key",
    "key_hashes",
    "ads",
    "campaigns",
    "paces",
    "rates",
    "keys_by_hash",
    "slots",
    "properties",
    "accounts",
)
"""
Maps that only reference objects of other maps come first. No large object is then freed by the removal of a last
reference here.
"""


class RetiredSnapshot:
    """
    The large parts of a snapshot that was replaced; create it before you drop *snapshot*. *whole*: it shares nothing
    with its successor, as after a full state. After a delta, only its indexes are its own.
    """

    def __init__(self, snapshot: Snapshot, *, whole: bool) -> None:
        self._snapshot = weakref.ref(snapshot)
        self._retired_s = _now_s()
        self._parts = owned_parts(snapshot)
        self._maps: list[dict[Any, Any]] = []
        if whole:
            self._parts += snapshot.derived.owned_parts()
            self._maps = [getattr(snapshot, name) for name in _MAPS]

    async def free(self, *, max_wait_s: float = MAX_WAIT_S) -> None:
        """
        Waits for requests that still use the snapshot, until *max_wait_s* after its replacement. If one takes longer,
        its maps stay whole until that request frees them.
        """
        if not (self._parts or self._maps):
            return
        unused = await self._wait_unused(max_wait_s)
        slices = TimeSlice()
        while self._parts:
            del self._parts[-_AT_ONCE:]
            await slices.checkpoint()
        for one in self._maps if unused else ():
            while one:
                for _ in range(min(len(one), _AT_ONCE)):
                    one.popitem()
                await slices.checkpoint()

    async def _wait_unused(self, max_wait_s: float) -> bool:
        end_s = self._retired_s + max_wait_s
        while self._snapshot() is not None:
            if _now_s() >= end_s:
                return False
            await asyncio.sleep(_CHECK_S)
        return True


class RetiredSnapshots:
    """Frees snapshots in the order of their replacement, in a task of its own: the next change does not wait for it."""

    def __init__(self, *, max_wait_s: float = MAX_WAIT_S) -> None:
        self._max_wait_s = max_wait_s
        self._waiting: deque[RetiredSnapshot] = deque()
        self._freeing: asyncio.Task[None] | None = None

    def add(self, retired: RetiredSnapshot) -> None:
        self._waiting.append(retired)
        if self._freeing is None or self._freeing.done():
            self._freeing = asyncio.create_task(self._free_all())

    def close(self) -> None:
        """Leaves what is not freed to the interpreter."""
        if self._freeing is not None:
            self._freeing.cancel()

    async def _free_all(self) -> None:
        while self._waiting:
            await self._waiting.popleft().free(max_wait_s=self._max_wait_s)


def _now_s() -> float:
    return asyncio.get_running_loop().time()
