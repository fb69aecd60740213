"""
The switches of the changes that `tests.mutation` writes into a copy of the tree. All processes of a run share them,
also those that tests start.
"""

import mmap
import struct
from functools import cache
from pathlib import Path

MAX_CHANGES = 1000
MAX_TESTS = 2000
"""Of one file."""
_FILE = Path(__file__).with_name("switches.bin")
_HEAD = struct.Struct("<ii")
"""The number of the change that is on, and of the test that runs; 0 for none."""


def is_on(number: int) -> bool:
    """Whether the change is on. Notes that the test which runs has executed its line."""
    shared = _shared()
    on, test = _HEAD.unpack_from(shared)
    shared[_HEAD.size + test * MAX_CHANGES + number] = 1
    return bool(on == number)


def switch(*, on: int = 0, test: int = 0) -> None:
    _HEAD.pack_into(_shared(), 0, on, test)


def take_executed(test: int = 0) -> list[int]:
    """The numbers of the changes whose lines *test* executed, or what was imported before the first. Forgets them."""
    shared = _shared()
    start = _HEAD.size + test * MAX_CHANGES
    executed = [number for number in range(MAX_CHANGES) if shared[start + number]]
    shared[start : start + MAX_CHANGES] = bytes(MAX_CHANGES)
    return executed


@cache
def _shared() -> mmap.mmap:
    with _FILE.open("a+b") as file:
        file.truncate(_HEAD.size + (MAX_TESTS + 1) * MAX_CHANGES)
        return mmap.mmap(file.fileno(), 0)
