"""
A whole ``POST`` taken apart without Sanic, for calls that are answered outside it. The rules are those of
`common.http.quick_head`, with one ``Content-Length`` beside; whatever is not plain, or not whole, is left alone.
"""

import re
from dataclasses import dataclass
from typing import Final, final

from common.http.head import find_field, is_target
from common.http.quick_head import MAX_LINES, OFTEN_NEW, is_plain
from common.http.quick_headers import QuickHeaders

_END: Final = b" HTTP/1.1"
_LENGTH: Final = re.compile(r"[1-9][0-9]{0,5}")
_MOST_LINES: Final = 4096
_MOST_LINE_BYTES: Final = 512


@dataclass(slots=True, init=False)
class QuickPost:
    """``end``: where in the bytes received the next request begins."""

    query_string: str
    headers: QuickHeaders
    body: bytes
    end: int

    def __init__(self, query_string: str, headers: QuickHeaders, body: bytes, end: int) -> None:
        self.query_string = query_string
        self.headers = headers
        self.body = body
        self.end = end


@final
class PostReader:
    """For posts to one path. Remembers lines that come again and again. Belongs to one event loop."""

    def __init__(self, path: str, *, max_head_bytes: int, max_body_bytes: int) -> None:
        self.start = f"POST {path}".encode("ascii")
        """What a request begins with that may be one for this reader."""
        self._path = path
        self._target_at = len("POST ")
        self._max_head_bytes = max_head_bytes
        self._max_body_bytes = max_body_bytes
        self._lines: dict[bytes, tuple[str, str]] = {}
        self._queries: dict[bytes, str | None] = {}

    def find(self, received: bytes) -> QuickPost | None:
        """The call that *received* begins with: in HTTP/1.1, keeping the connection, with all of a small body."""
        end = received.find(b"\r\n\r\n")
        if not 0 < end < self._max_head_bytes:
            return None
        first, *lines = received[:end].split(b"\r\n")
        query_string = self._query(first)
        if query_string is None or len(lines) > MAX_LINES:
            return None
        headers = QuickHeaders()
        known = self._lines
        for line in lines:
            field = known.get(line) or self._find_plain(line)
            if field is None:
                return None
            headers[field[0]] = field[1]
        if len(headers) != len(lines) or "host" not in headers:
            return None
        start = end + 4
        stop = start + int(headers.get("content-length", "0"))
        if not start < stop <= len(received) or stop - start > self._max_body_bytes:
            return None
        return QuickPost(query_string, headers, received[start:stop], stop)

    def _query(self, first: bytes) -> str | None:
        """The query of the request line *first*; None where it asks for something else."""
        try:
            return self._queries[first]
        except KeyError:
            pass
        target = first[self._target_at : -len(_END)]
        query: str | None = None
        if first.endswith(_END) and is_target(target):
            path, _, query = target.decode("ascii").partition("?")
            if path != self._path:
                query = None
        if len(self._queries) >= _MOST_LINES:
            self._queries.clear()
        self._queries[first] = query
        return query

    def _find_plain(self, line: bytes) -> tuple[str, str] | None:
        field = find_field(line)
        if field is None:
            return None
        name, value = field
        plain = _LENGTH.fullmatch(value) if name == "content-length" else is_plain(name, value)
        if not plain or name == "content-encoding":
            return None
        if name not in OFTEN_NEW and len(line) <= _MOST_LINE_BYTES:
            if len(self._lines) >= _MOST_LINES:
                self._lines.clear()
            self._lines[line] = field
        return field
