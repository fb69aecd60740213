"""
Parses heads without a header that concerns a body, the connection or an upgrade: nearly all heads. One expression does
it, which is cheaper than Sanic's parser (`make bench-serve`); Sanic parses all others. `check_head` has validated the
head before.
"""

import re
from typing import Any

from sanic.compat import Header

_FIELD = re.compile(r"\r\n([^:]+):[\t ]*([^\r]*)")
_PECULIAR = ("content-length", "transfer-encoding", "connection", "expect", "upgrade")


def read_simple_head(http: Any, buffer: bytearray, end: int) -> bool:
    """
    Creates the request for the head that ends at *end* and removes it from *buffer*, as Sanic's `Http` would.

    Returns False, with nothing changed, where the head is not plain.
    """
    raw = bytes(buffer[:end])
    if not raw.isascii():
        return False
    text = raw.decode("ascii")
    headers = Header(_FIELD.findall(text))
    for name in _PECULIAR:
        if name in headers:
            return False
    method, http.url, version = text.partition("\r\n")[0].split(" ")
    protocol = http.protocol
    request = protocol.request_class(
        url_bytes=http.url.encode("ascii"),
        headers=headers,
        head=raw,
        version=version[5:],
        method=method,
        transport=protocol.transport,
        app=protocol.app,
    )
    protocol.request_class._current.set(request)  # noqa: SLF001 - as Sanic does
    http.keep_alive = version == "HTTP/1.1"
    http.head_only = method == "HEAD"
    http.request_bytes_left = http.request_bytes = 0
    del buffer[: end + 4]
    http.request, request.stream = request, http
    protocol.state["requests_count"] += 1
    return True
