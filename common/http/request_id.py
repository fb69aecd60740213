"""The identity of a request, echoed or made, on every answer and every log line about it."""

import itertools
import random
import re
from typing import Any

from sanic import Request

HEADER = "X-Request-Id"
_numbers = itertools.count(random.getrandbits(63))  # an id names a request, it guards nothing
_PROCESS = f"{random.getrandbits(32):08x}"
_VISIBLE = re.compile(r"[!-~]{1,128}")


class TracedRequest(Request[Any, Any]):
    """A request whose ``id`` is the caller's own where it is 1..128 visible ASCII characters, else a new one."""

    __slots__ = ()

    @property
    def id(self) -> str:
        if self._id is None:
            self._id = chosen_id(self.headers.get(HEADER))
        return self._id  # type: ignore[return-value]  # Sanic allows other kinds; here it is text


def request_id(request: Request[Any, Any]) -> str:
    """Stays the same for the whole request."""
    return request.id  # type: ignore[return-value]  # as above


def chosen_id(given: str | None) -> str:
    """*given* where it is fit to be one, else a new one."""
    if given is not None and _VISIBLE.fullmatch(given):
        return given
    return f"{_PROCESS}{next(_numbers):016x}"
