"""
Parses the head of a ``GET``, or a whole ``POST``, without Sanic, for the fast path (`common.http.protocol` reads other
requests). The rules are those of `common.http.head`; a request that is not plain is left to the slow path.
"""

import re
from collections.abc import Sequence
from typing import Final, final

from common.contract.operation import MAX_HEAD_BYTES
from common.http.head import HeadInvalid, check_host, find_field, is_target
from common.values.generation_cache import GenerationCache

MAX_LINES: Final = 64
_PER_REQUEST: Final = frozenset({"content-length", "transfer-encoding", "expect", "upgrade"})
"""Headers that concern a body or another protocol."""
PER_REQUEST_HEADERS: Final = frozenset(
    (
        *("referer", "cookie", "x-request-id", "if-none-match", "if-modified-since"),
        *("x-forwarded-for", "x-real-ip", "forwarded", "cf-connecting-ip", "true-client-ip"),
        *("traceparent", "tracestate", "cf-ray", "x-amzn-trace-id", "x-cloud-trace-context"),
    )
)
_MAX_LINES: Final = 4096
_MAX_LINE_BYTES: Final = 512
_MAX_BLOCKS: Final = 4096
_MAX_SPELLINGS: Final = 256
_MAX_BLOCK_BYTES: Final = 2048
_LENGTH: Final = re.compile(r"[1-9][0-9]{0,5}")
_END: Final = b" HTTP/1.1"
_NO_FIELDS: Final[dict[str, str]] = {}


@final
class StableHeaders:
    """
    The header lines that often recur together. The object is the same while it is cached, so that callers may store a
    derived value in ``about``.
    """

    def __init__(self, fields: dict[str, str]) -> None:
        self.fields = fields
        self.cached_values: object = None


@final
class FastHead:
    """
    ``target``: ASCII, without a fragment. Headers by name in lower case, each of them once: those of ``block``, and
    ``fresh`` ones.
    """

    def __init__(self, target: str, block: StableHeaders, per_request: dict[str, str]) -> None:
        self.target = target
        self.stable = block
        self.per_request = per_request

    def get(self, name: str) -> str | None:
        value = self.per_request.get(name)
        return self.stable.fields.get(name) if value is None else value

    def getall(self, name: str, default: Sequence[str]) -> Sequence[str]:
        value = self.get(name)
        return default if value is None else (value,)


@final
class FastRequest:
    """``end``: the offset in the received bytes where the next request begins."""

    def __init__(self, head: FastHead, body: bytes, end: int) -> None:
        self.head = head
        self.body = body
        self.end = end


@final
class HeadReader:
    """
    Caches header lines, and sets of lines that occur together: user agents, languages and keys recur, and a look-up
    costs less than parsing. Belongs to one event loop.

    *max_body_bytes*: 0 for a reader of ``GET``. A reader of ``POST`` requires one ``Content-Length`` up to that, and
    leaves a ``Content-Encoding`` to the slow path.
    """

    def __init__(self, *, max_body_bytes: int = 0) -> None:
        self._start: bytes = b"POST " if max_body_bytes else b"GET "
        self._max_body_bytes = max_body_bytes
        self._first: tuple[bytes, str | None] = (b"", None)
        """The last request line and its target: posts to one path have the same."""
        self._lines = GenerationCache(_MAX_LINES)
        """Header lines that recur."""
        self._blocks = GenerationCache(_MAX_BLOCKS)
        """`StableHeaders` by their lines."""
        self._usual = GenerationCache(_MAX_SPELLINGS)
        """Names of `PER_REQUEST_HEADERS` in the spellings received."""

    def read_head(self, head: bytes) -> FastHead | None:
        """
        Parses the head of a request in HTTP/1.1 on a kept-alive connection; returns None where anything is unusual.

        *head*: without the empty line. It must have one plain ``Host``, and no name twice.
        """
        lines = head.split(b"\r\n")
        if lines[0] != self._first[0]:
            self._first = lines[0], self._find_target(lines[0])
        target = self._first[1]
        if target is None or len(lines) > MAX_LINES:
            return None
        known, stable, new = self._lines, list[bytes](), list[bytes]()
        for line in lines[1:]:
            (stable if known.get(line) is not None else new).append(line)
        per_request = self._find_fresh(new, stable) if new else _NO_FIELDS
        if per_request is None:
            return None
        key = tuple(stable)
        block: StableHeaders | None = self._blocks.get(key) or self._find_block(key)
        if block is None or not block.fields.keys().isdisjoint(per_request):
            return None
        if "host" not in block.fields and "host" not in per_request:
            return None
        return FastHead(target, block, per_request)

    def read_request(self, received: bytes) -> FastRequest | None:
        """
        Returns the request with a body at the start of *received*; None where `read_head` returns None, or where a part
        of it has not arrived.
        """
        end = received.find(b"\r\n\r\n")
        head = self.read_head(received[:end]) if 0 < end < MAX_HEAD_BYTES else None
        if head is None:
            return None
        start = end + 4
        stop = start + int(head.get("content-length") or "0")
        if not start < stop <= len(received) or stop - start > self._max_body_bytes:
            return None
        return FastRequest(head, received[start:stop], stop)

    def _find_target(self, line: bytes) -> str | None:
        if not (line.startswith(self._start) and line.endswith(_END)):
            return None
        target = line[len(self._start) : -len(_END)]
        return target.decode("ascii") if is_target(target) else None

    def _find_fresh(self, lines: list[bytes], stable: list[bytes]) -> dict[str, str] | None:
        """Returns the fields of *lines*; lines that are cached from now on are added to *stable* instead."""
        per_request: dict[str, str] = {}
        for line in lines:
            at = line.find(b":")
            usual: str | None = self._usual.get(line[:at]) if at > 0 else None
            value = None if usual is None else _find_printable(line[at + 1 :])
            if usual is not None and value is not None:
                if usual in per_request:
                    return None
                per_request[usual] = value.lstrip(" ")
                continue
            field = self._find_plain(line)
            if field is None or field[0] in per_request:
                return None
            if self._lines.get(line) is not None:
                stable.append(line)
            else:
                per_request[field[0]] = field[1]
        return per_request

    def _find_block(self, lines: tuple[bytes, ...]) -> StableHeaders | None:
        """Returns None where a name occurs twice. The cache still has *lines*, which were used for this head."""
        block = StableHeaders(dict([self._lines.get(line) for line in lines]))
        if len(block.fields) != len(lines):
            return None
        if sum([len(line) for line in lines]) <= _MAX_BLOCK_BYTES:
            self._blocks.put(lines, block)
        return block

    def _find_plain(self, line: bytes) -> tuple[str, str] | None:
        field = find_field(line)
        if field is None or not self._is_plain(field[0], field[1]):
            return None
        if field[0] not in PER_REQUEST_HEADERS and len(line) <= _MAX_LINE_BYTES:
            self._lines.put(line, field)
        elif field[0] in PER_REQUEST_HEADERS:
            self._usual.put(line[: len(field[0])], field[0])
        return field

    def _is_plain(self, name: str, value: str) -> bool:
        if not self._max_body_bytes:
            return is_plain(name, value)
        if name == "content-length":
            return _LENGTH.fullmatch(value) is not None
        return name != "content-encoding" and is_plain(name, value)


def _find_printable(text: bytes) -> str | None:
    """Returns *text* if it is ASCII without control characters and tabs, and so valid as a field's value."""
    if not text.isascii():
        return None
    value = text.decode("ascii")
    return value if value.isprintable() else None


def is_plain(name: str, value: str) -> bool:
    """Whether a header line allows a bodiless request on a kept-alive connection."""
    if name == "connection":
        return value.lower() == "keep-alive"
    if name != "host":
        return name not in _PER_REQUEST
    try:
        check_host((value,), required=True)
    except HeadInvalid:
        return False
    return True
