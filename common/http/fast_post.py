"""
Parses a whole ``POST`` without Sanic, for the fast path. The rules are those of `common.http.fast_head`, plus one
``Content-Length``; a request that is not plain, or not complete, is left to the slow path.
"""

from dataclasses import dataclass
from typing import Final, final

from common.http.fast_head import FastHead, HeadReader
from common.http.head import is_target

_END: Final = b" HTTP/1.1"
_MAX_QUERIES: Final = 4096


@dataclass(slots=True, init=False)
class FastPost:
    """``end``: the offset in the received bytes where the next request begins."""

    query_string: str
    head: FastHead
    body: bytes
    end: int

    def __init__(self, query_string: str, head: FastHead, body: bytes, end: int) -> None:
        self.query_string = query_string
        self.head = head
        self.body = body
        self.end = end


@final
class PostReader:
    """For posts to one path. Caches heads as `HeadReader` does. Belongs to one event loop."""

    def __init__(self, path: str, *, max_head_bytes: int, max_body_bytes: int) -> None:
        self.start = f"POST {path}".encode("ascii")
        """The first bytes of a request that may suit this reader."""
        self._path = path
        self._target_at = len("POST ")
        self._max_head_bytes = max_head_bytes
        self._max_body_bytes = max_body_bytes
        self._heads = HeadReader(with_body=True)
        self._queries: dict[bytes, str | None] = {}

    def find(self, received: bytes) -> FastPost | None:
        """Returns the request at the start of *received*: HTTP/1.1, kept alive, with all of a small body; else None."""
        end = received.find(b"\r\n\r\n")
        if not 0 < end < self._max_head_bytes:
            return None
        lines = received[:end].split(b"\r\n")
        query_string = self._query(lines[0])
        if query_string is None:
            return None
        head = self._heads.find_fields(self._path, lines)
        if head is None:
            return None
        start = end + 4
        stop = start + int(head.get("content-length") or "0")
        if not start < stop <= len(received) or stop - start > self._max_body_bytes:
            return None
        return FastPost(query_string, head, received[start:stop], stop)

    def _query(self, first: bytes) -> str | None:
        """Returns the query of the request line *first*; None where it has another path."""
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
        if len(self._queries) >= _MAX_QUERIES:
            self._queries.clear()
        self._queries[first] = query
        return query
