"""Tells the control plane what each worker serves: at once when that changes, and again every few seconds."""

import asyncio
from dataclasses import dataclass, replace

from edge.ports import SnapshotSource
from edge.snapshots.status import WorkerStatus, encode_status

_AGAIN_S = 5.0
_LOOK_S = 0.05
"""Changes gather for so long: a burst of deltas is one report."""


@dataclass(slots=True)
class _Last:
    said: tuple[str, int, str, bool, str | None]
    said_s: float


class SnapshotReports:
    """`run` until cancelled; `told` for each status a worker sends."""

    def __init__(self, source: SnapshotSource) -> None:
        self._source = source
        self._news: dict[str, WorkerStatus] = {}
        self._last: dict[str, _Last] = {}
        self._woken = asyncio.Event()

    def told(self, status: WorkerStatus, refusal: str | None) -> None:
        """*refusal*: why the receiver could not adopt what is newer; it makes every worker's report a NACK."""
        if refusal is not None and status.ok:
            status = replace(status, ok=False, reason=refusal)
        if self._worth(status):
            self._news[status.worker] = status
            self._woken.set()

    async def run(self) -> None:
        while True:
            await self._woken.wait()
            await asyncio.sleep(_LOOK_S)
            self._woken.clear()
            news, self._news = self._news, {}
            for worker, status in news.items():
                self._last[worker] = _Last(_content(status), _now_s())
                await self._source.report(worker, encode_status(status))

    def _worth(self, status: WorkerStatus) -> bool:
        last = self._last.get(status.worker)
        return last is None or _content(status) != last.said or _now_s() - last.said_s >= _AGAIN_S


def _content(status: WorkerStatus) -> tuple[str, int, str, bool, str | None]:
    return (status.epoch, status.version, status.digest, status.ok, status.reason)


def _now_s() -> float:
    return asyncio.get_running_loop().time()
