"""Frees a replaced snapshot little by little: freeing it at once would block the event loop."""

import asyncio
import weakref
from typing import Any

from common.decision.index import owned_parts
from common.snapshot.snapshot import Snapshot
from edge.runtime.cooperative import TimeSlice

_AT_ONCE = 20
_CHECK_S = 0.01
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
        self._parts = owned_parts(snapshot)
        self._maps: list[dict[Any, Any]] = []
        if whole:
            self._parts += snapshot.derived.owned_parts()
            self._maps = [getattr(snapshot, name) for name in _MAPS]

    async def free(self, *, patience_s: float = 1.0) -> None:
        """
        Waits for requests that still use the snapshot. If one takes longer than *patience_s*, its maps stay whole until
        that request frees them.
        """
        if not (self._parts or self._maps):
            return
        unused = await self._wait_unused(patience_s)
        slices = TimeSlice()
        while self._parts:
            del self._parts[-_AT_ONCE:]
            await slices.checkpoint()
        for one in self._maps if unused else ():
            while one:
                for _ in range(min(len(one), _AT_ONCE)):
                    one.popitem()
                await slices.checkpoint()

    async def _wait_unused(self, patience_s: float) -> bool:
        now_s = asyncio.get_running_loop().time
        end_s = now_s() + patience_s
        while self._snapshot() is not None:
            if now_s() >= end_s:
                return False
            await asyncio.sleep(_CHECK_S)
        return True
