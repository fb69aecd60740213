"""
The garbage collector's policy in a worker: it looks at each object once, when that is young, and never again.

A full collection walks over everything, 70 ms for 800 000 objects, again and again while memories fill. But nearly all
that a worker makes is freed by its reference count. So what outlives the first look is taken out of the collector's
sight (`gc.freeze`), and a cycle among it stays when it becomes garbage: should the process grow by far more than its
memories may, everything is looked at once.
"""

import asyncio
import gc
import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import structlog

from edge.runtime.metrics import EdgeMetrics

_YOUNG = 10_000
"""Objects that one look is for: a millisecond or two."""
_NEVER = 1_000_000_000
_LOOK_S = 0.02
"""Between two looks at what is young: the collector itself counts every object that is freed against those that are
made, so while memories forget as much as they learn it would wait until there is a great deal to look at: after a
tenth of a second of asking a large property's ads again, 25 ms worth."""
_LOOKS_A_SIZE = 500
_GROWN_BYTES = 256 * 1024 * 1024

_log = structlog.get_logger(__name__)


@contextmanager
def gc_paused() -> Iterator[None]:
    """
    Off inside, while many objects are made; what lives at the end is left out of every later collection.

    Reference counts still free it. A cycle that is garbage at that moment stays, so this is for rare, large builds.
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
    """Of this process; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


class GcPolicy:
    """*states_loaded* counts the full states taken in: each makes the process larger, which is no reason to collect."""

    def __init__(
        self,
        states_loaded: Callable[[], int],
        metrics: EdgeMetrics,
        size_bytes: Callable[[], int] = resident_bytes,
    ) -> None:
        self._states_loaded = states_loaded
        self._metrics = metrics
        self._size_bytes = size_bytes
        self._usual_bytes = 0
        self._states = -1

    async def run(self) -> None:
        """Until cancelled, which gives the process its collector back as it was."""
        thresholds = gc.get_threshold()
        self.start()
        try:
            for count in itertools.count():
                if count % _LOOKS_A_SIZE == 0:
                    self.look_at_size()
                await asyncio.sleep(_LOOK_S)
                if gc.isenabled():
                    gc.collect(0)
        finally:
            gc.callbacks.remove(_keep_out_of_sight)
            gc.set_threshold(*thresholds)
            gc.unfreeze()

    def start(self) -> None:
        gc.callbacks.append(_keep_out_of_sight)
        gc.set_threshold(_YOUNG, _NEVER, _NEVER)

    def look_at_size(self) -> None:
        """Collects everything where the process has grown; that stops it for some hundred milliseconds."""
        if not gc.isenabled():  # a whole state is being taken in
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
