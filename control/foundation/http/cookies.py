"""Cookies of a request. Sanic's own parser takes time quadratic in the length of a quoted value with escapes."""

from sanic import Request


def find_cookie(request: Request, name: str) -> str | None:
    """The first value of the cookie as it was sent, without spaces around it; None where there is none."""
    for header in request.headers.getall("cookie", ()):
        for pair in header.split(";"):
            given, equals, value = pair.partition("=")
            if equals and given.strip() == name:
                return str(value.strip())
    return None
