"""The identity of a request, echoed or made, on every answer and every log line about it."""

import random
import re
from typing import Any

from sanic import Request

HEADER = "X-Request-Id"
_ids = random.Random()  # seeded by the machine; an id names a request, it guards nothing
_VISIBLE = re.compile(r"[!-~]{1,128}")


class TracedRequest(Request[Any, Any]):
    """A request whose ``id`` is the caller's own where it is 1..128 visible ASCII characters, else a new one."""

    __slots__ = ()

    @property
    def id(self) -> str:
        if self._id is None:
            self._id = _given_id(self) or f"{_ids.getrandbits(96):024x}"
        return str(self._id)


def request_id(request: Request[Any, Any]) -> str:
    """Stays the same for the whole request."""
    return str(request.id)


def _given_id(request: Request[Any, Any]) -> str | None:
    given: str | None = request.headers.get(HEADER)
    return given if given is not None and _VISIBLE.fullmatch(given) else None
