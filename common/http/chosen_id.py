"""The id of a request: the client's own if it is valid, else a new one."""

import itertools
import random
import re
from typing import Final

HEADER: Final = "X-Request-Id"
_numbers = itertools.count(random.getrandbits(63))  # an id names a request and protects nothing
_PROCESS: Final = f"{random.getrandbits(32):08x}"
_VISIBLE = re.compile(r"[!-~]{1,128}")


def chosen_id(given: str | None) -> str:
    """Returns *given* if it is valid, else a new id."""
    if given is not None and _VISIBLE.fullmatch(given):
        return given
    return f"{_PROCESS}{next(_numbers):016x}"
