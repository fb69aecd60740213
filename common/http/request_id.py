"""The identity of a request, echoed or made, on every answer and every log line about it."""

import random
import re

from sanic import Request

HEADER = "X-Request-Id"
_ids = random.Random()  # seeded by the machine; an id names a request, it guards nothing
_VISIBLE = re.compile(r"[!-~]{1,128}")


def request_id(request: Request) -> str:
    """The caller's own where it is 1..128 visible ASCII characters, else a new one; stays for the request."""
    known: str | None = getattr(request.ctx, "request_id", None)
    if known is None:
        given = request.headers.get(HEADER)
        known = given if given is not None and _VISIBLE.fullmatch(given) else f"{_ids.getrandbits(96):024x}"
        request.ctx.request_id = known
    return known
