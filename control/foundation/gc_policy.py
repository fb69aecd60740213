"""Keeps the garbage collector off what a process holds for good: walking all of it takes 80 ms, many times a minute."""

import gc

_YOUNG = 10_000
"""Objects made before a collection: the answer of a long list is a few thousand, and none of them is a cycle."""


def spare_what_stays(*, young: int = _YOUNG) -> None:
    """
    Call once, when everything is built: no later collection looks at what lives now. *young*: how many objects more
    are made before the first looks.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(young, *gc.get_threshold()[1:])
