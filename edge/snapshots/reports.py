"""Reports to the control plane which snapshot each worker serves: at once when that changes, and again every second."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace

from common.snapshot.status import WorkerStatus, encode_status

_AGAIN_S = 0.9
"""A little less than the pause between two heartbeats, each of which every worker answers."""
_CHECK_S = 0.05
"""Changes are collected for so long: a burst of deltas is one report."""

Content = tuple[str, str, int, str, bool, str | None]


class SnapshotReports:
    """`run` until cancelled. Call `notify` whenever a worker has sent its status."""

    def __init__(
        self,
        statuses: Callable[[], Iterable[WorkerStatus]],
        refusal: Callable[[], str | None],
        leave: Callable[[Mapping[str, bytes]], Awaitable[bool]],
    ) -> None:
        """
        *statuses*: the last statuses of the living workers. While a worker is replaced there are two of its name, and
        the older snapshot counts. *refusal*: why the receiver could not adopt a newer state, which makes every report a
        NACK. *leave* stores the reports, and returns whether the control plane can read them.
        """
        self._statuses = statuses
        self._refusal = refusal
        self._leave = leave
        self._left: dict[str, Content] = {}
        self._left_s = 0.0
        self._woken = asyncio.Event()

    def notify(self) -> None:
        self._woken.set()

    async def run(self) -> None:
        while True:
            await self._woken.wait()
            await asyncio.sleep(_CHECK_S)
            self._woken.clear()
            found = self._collect()
            if found and self._worth(found):
                await self._report(found)

    async def _report(self, found: dict[str, WorkerStatus]) -> None:
        self._left_s = _now_s()
        raw = {name: encode_status(status) for name, status in found.items()}
        if await self._leave(raw):
            self._left = {name: _content(status) for name, status in found.items()}

    def _collect(self) -> dict[str, WorkerStatus]:
        found: dict[str, WorkerStatus] = {}
        for status in self._statuses():
            other = found.get(status.worker)
            if other is None or status.version < other.version:
                found[status.worker] = status
        refusal = self._refusal()
        if refusal is None:
            return found
        return {
            name: replace(status, ok=False, reason=status.reason or refusal)
            for name, status in found.items()
        }

    def _worth(self, found: dict[str, WorkerStatus]) -> bool:
        changed = self._left != {name: _content(status) for name, status in found.items()}
        return changed or _now_s() - self._left_s >= _AGAIN_S


def _content(status: WorkerStatus) -> Content:
    return (
        status.boot,
        status.epoch,
        status.version,
        status.digest,
        status.ok,
        status.reason,
    )


def _now_s() -> float:
    return asyncio.get_running_loop().time()
