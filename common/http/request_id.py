"""The identity of a request, echoed or made, on every answer and every log line about it."""

import re
import secrets

from sanic import Request

HEADER = "X-Request-Id"
_VISIBLE = re.compile(r"[!-~]{1,128}")


def request_id(request: Request) -> str:
    """The caller's own where it is 1..128 visible ASCII characters, else a new one; stays for the request."""
    known: str | None = getattr(request.ctx, "request_id", None)
    if known is None:
        given = request.headers.getone(HEADER, "")
        known = given if _VISIBLE.fullmatch(given) else secrets.token_hex(12)
        request.ctx.request_id = known
    return known
