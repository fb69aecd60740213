"""Keeps the garbage collector off the snapshot: it has no cycles, and walking 800 000 objects takes 70 ms."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


_YOUNG = 20_000
"""Objects made and still there before the young are looked through. A worker has hundreds of calls in flight, whose
objects reference counts free a moment later; looking through them every 700 cost track a twentieth of its time."""


def calm_collector() -> None:
    """For a process that serves: cycles are few there, and found late enough."""
    gc.set_threshold(_YOUNG, 20, 20)


@contextmanager
def collector_spared() -> Iterator[None]:
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
