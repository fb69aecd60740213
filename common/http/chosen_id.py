"""The identity of a request: its own where that is fit to be one, else a new one."""

import itertools
import random
import re
from typing import Final

HEADER: Final = "X-Request-Id"
_numbers = itertools.count(random.getrandbits(63))  # an id names a request, it guards nothing
_PROCESS: Final = f"{random.getrandbits(32):08x}"
_VISIBLE = re.compile(r"[!-~]{1,128}")


def chosen_id(given: str | None) -> str:
    """*given* where it is fit to be one, else a new one."""
    if given is not None and _VISIBLE.fullmatch(given):
        return given
    return f"{_PROCESS}{next(_numbers):016x}"
