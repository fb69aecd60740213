"""
The garbage collection policy of a worker: each object is examined once, while young, and never again.

A full collection examines all objects: 70 ms for 800 000 objects, repeatedly while caches fill. Yet reference counts
free nearly all objects of a worker. Objects that survive the first collection are therefore hidden from the collector
(`gc.freeze`). A cycle among them that becomes garbage is not freed. If the process grows far beyond what its caches may
hold, one full collection runs.
"""

import asyncio
import gc
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import structlog

from edge.runtime.metrics import EdgeMetrics

_YOUNG = 10_000
"""Objects examined by one young collection: a millisecond or two."""
_NEVER = 1_000_000_000
_CHECK_S = 0.02
"""
Interval of young collections. The collector itself subtracts freed objects from new ones. While caches evict as much as
they add, it would wait until there is much to examine: 25 ms worth after a tenth of a second of lookups in a large
property's ads.
"""
_RESTING_CHECK_S = 0.5
"""Interval of a thread that used less than `_RESTING_SHARE` of a core since the last collection: nothing calls it."""
_RESTING_SHARE = 0.03
_SIZE_EVERY_S = 10.0
_GROWN_BYTES = 256 * 1024 * 1024

_log = structlog.get_logger(__name__)


@contextmanager
def gc_paused() -> Iterator[None]:
    """
    Turns collection off inside, while many objects are made. Objects alive at the end are excluded from later
    collections.

    Reference counts still free them. A cycle that is garbage at that moment stays, so use this for rare, large builds.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if was_on:
            gc.enable()


def resident_bytes() -> int:
    """Resident memory of this process; 0 if the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


class GcPolicy:
    """*states_loaded* counts adopted full states: each enlarges the process, which is no reason to collect."""

    def __init__(
        self,
        states_loaded: Callable[[], int],
        metrics: EdgeMetrics,
        size_bytes: Callable[[], int] = resident_bytes,
        ran_s: Callable[[], float] = time.thread_time,
    ) -> None:
        """*ran_s*: for how long the calling thread has run. The counts of new objects do not show work: see above."""
        self._states_loaded = states_loaded
        self._metrics = metrics
        self._size_bytes = size_bytes
        self._ran_s = ran_s
        self._usual_bytes = 0
        self._states = -1

    async def run(self) -> None:
        """Runs until cancelled, then restores the collector's settings."""
        thresholds = gc.get_threshold()
        self.start()
        try:
            now_s = asyncio.get_running_loop().time
            pause_s, ran_s, size_due_s = _CHECK_S, self._ran_s(), now_s()
            while True:
                if now_s() >= size_due_s:
                    self.check_size()
                    size_due_s = now_s() + _SIZE_EVERY_S
                await asyncio.sleep(pause_s)
                if gc.isenabled():
                    gc.collect(0)
                before_s, ran_s = ran_s, self._ran_s()
                is_resting = ran_s - before_s < _RESTING_SHARE * pause_s
                pause_s = _RESTING_CHECK_S if is_resting else _CHECK_S
        finally:
            gc.callbacks.remove(_keep_out_of_sight)
            gc.set_threshold(*thresholds)
            gc.unfreeze()

    def start(self) -> None:
        gc.callbacks.append(_keep_out_of_sight)
        gc.set_threshold(_YOUNG, _NEVER, _NEVER)

    def check_size(self) -> None:
        """Runs a full collection if the process has grown; that blocks it for some hundred milliseconds."""
        if not gc.isenabled():  # a full state is being loaded
            return
        size_bytes = self._size_bytes()
        if (states := self._states_loaded()) != self._states:
            self._states = states
            self._usual_bytes = size_bytes
        elif size_bytes > max(self._usual_bytes + _GROWN_BYTES, self._usual_bytes * 3 // 2):
            gc.unfreeze()
            found = gc.collect()
            self._metrics.gc_objects_freed += found
            self._metrics.full_gcs += 1
            self._usual_bytes = self._size_bytes()
            _log.warning(
                "full_gc_ran",
                objects_freed=found,
                size_bytes_before=size_bytes,
                size_bytes_after=self._usual_bytes,
            )


def _keep_out_of_sight(phase: str, _info: dict[str, Any]) -> None:
    if phase == "stop":
        gc.freeze()
