"""
Compresses pages, scripts and styles with gzip, because not every installation has a proxy that does.

A secret must not be compressed together with text that somebody else chooses: the size of the response reveals how much
they have in common (BREACH, breachattack.com). So a page is compressed only if it responds to GET, because secrets are
shown once, in the response to the form that made them; if its address holds no token; and if no other site started the
request. Forms hold no CSRF tokens (`control.dashboard.same_origin`).
"""

import gzip
from collections.abc import Callable
from functools import lru_cache

from sanic import Request
from sanic.response import HTTPResponse

from common.http.router import READING

_MIN_BYTES = 1024
"""Smaller responses fit into one packet anyway."""
_PAGE_LEVEL, _FILE_LEVEL = 4, 9
"""Of zlib: a page is compressed for each request, a file once."""
_TEXT = ("text/", "image/svg+xml")
_ENCODING = "Accept-Encoding"
_OURS = frozenset({"same-origin", "none"})
"""Values of ``Sec-Fetch-Site``: a page of ours, or the user by typing an address or by a bookmark."""
_Encode = Callable[[bytes, int], bytes]


@lru_cache(maxsize=256)
def _compress_once(content: bytes, level: int) -> bytes:
    """By its content, so that a changed file is compressed again."""
    return gzip.compress(content, level)


def compress_page(
    request: Request, response: HTTPResponse, *, keeps_token: bool = False
) -> HTTPResponse:
    """Of a page that may hold data of an account. *keeps_token*: its address holds a secret."""
    is_ours = request.headers.getone("sec-fetch-site", "none") in _OURS
    if keeps_token or request.method not in READING or not is_ours:
        return response
    return _compress(request, response, gzip.compress, _PAGE_LEVEL)


def compress_file(request: Request, response: HTTPResponse) -> HTTPResponse:
    """Of a response that is the same for everybody: compressed once, then kept in memory."""
    return _compress(request, response, _compress_once, _FILE_LEVEL)


def _compress(
    request: Request, response: HTTPResponse, encode: _Encode, level: int
) -> HTTPResponse:
    content = response.body
    is_text = (response.content_type or "").startswith(_TEXT)
    if not content or not is_text or len(content) < _MIN_BYTES:
        return response
    varies = str(response.headers.get("Vary", _ENCODING))
    response.headers["Vary"] = varies if _ENCODING in varies else f"{varies}, {_ENCODING}"
    if accepts_gzip(",".join(request.headers.getall("accept-encoding", []))):
        response.body = encode(content, level)
        response.headers["Content-Encoding"] = "gzip"
    return response


def accepts_gzip(header: str) -> bool:
    """*header*: the value of ``Accept-Encoding`` (RFC 9110, 12.5.3)."""
    weights: dict[str, float] = {}
    for item in header.lower().split(","):
        name, _, parameter = item.partition(";")
        weights[name.strip()] = _weight(parameter)
    named = weights.get("gzip", weights.get("x-gzip"))
    return (weights.get("*", 0.0) if named is None else named) > 0


def _weight(parameter: str) -> float:
    """Of ``q=0.5``; 1 without one, 0 if it is no number."""
    name, _, value = parameter.partition("=")
    if not name.strip():
        return 1.0
    try:
        return float(value) if name.strip() == "q" else 0.0
    except ValueError:
        return 0.0
