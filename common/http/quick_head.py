"""
A request head taken apart without Sanic, for calls that are answered as they arrive (`common.http.protocol` reads the
others). The rules are those of `common.http.head`; whatever is not plain is left alone.
"""

from collections.abc import Sequence

from common.http.head import HeadInvalid, check_host, find_field, is_target

MAX_LINES = 64
_PECULIAR = frozenset({"content-length", "transfer-encoding", "expect", "upgrade"})
"""They say something of a body or of another protocol."""
_OFTEN_NEW = frozenset(
    {"referer", "cookie", "x-request-id", "x-forwarded-for", "traceparent", "if-none-match"}
)
_MOST_LINES = 4096
_MOST_LINE_BYTES = 512


class QuickHeaders(dict[str, str]):
    """Names in lower case, each of them once."""

    __slots__ = ()

    def getall(self, name: str, default: Sequence[str], /) -> Sequence[str]:
        value = self.get(name)
        return default if value is None else (value,)


class HeadReader:
    """
    Remembers lines: user agents, languages and keys come again and again, and a look-up costs less than reading.
    Belongs to one event loop.
    """

    def __init__(self) -> None:
        self._lines: dict[bytes, tuple[str, str]] = {}

    def find_get(self, lines: Sequence[bytes]) -> tuple[str, QuickHeaders] | None:
        """
        Target and headers of a ``GET`` in HTTP/1.1 that asks to keep the connection; None where anything is unusual.

        *lines*: the head without its CRLFs. The target is ASCII and has no fragment; exactly one plain ``Host``.
        """
        first = lines[0]
        if len(lines) > MAX_LINES or first[-9:] != b" HTTP/1.1" or first[:4] != b"GET ":
            return None
        target = first[4:-9]
        if not is_target(target):
            return None
        headers = self._headers(lines)
        return None if headers is None else (target.decode("ascii"), headers)

    def _headers(self, lines: Sequence[bytes]) -> QuickHeaders | None:
        headers = QuickHeaders()
        known = self._lines
        for line in lines[1:]:
            field = known.get(line) or self._read(line)
            if field is None:
                return None
            headers[field[0]] = field[1]
        if len(headers) != len(lines) - 1 or not _is_plain(headers):
            return None
        return headers

    def _read(self, line: bytes) -> tuple[str, str] | None:
        field = find_field(line)
        if field is None or field[0] in _OFTEN_NEW or len(line) > _MOST_LINE_BYTES:
            return field
        if len(self._lines) >= _MOST_LINES:
            self._lines.clear()
        self._lines[line] = field
        return field


def _is_plain(headers: QuickHeaders) -> bool:
    if not _PECULIAR.isdisjoint(headers):
        return False
    if headers.get("connection", "keep-alive").lower() != "keep-alive":
        return False
    try:
        check_host((headers["host"],) if "host" in headers else (), required=True)
    except HeadInvalid:
        return False
    return True
