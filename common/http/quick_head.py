"""
A request head taken apart without Sanic, for calls that are answered as they arrive (`common.http.protocol` reads the
others). The rules are those of `common.http.head`; whatever is not plain is left alone.
"""

from collections.abc import Sequence

from common.http.head import HeadInvalid, check_host, find_field, is_target

MAX_LINES = 64
_PECULIAR = frozenset({"content-length", "transfer-encoding", "expect", "upgrade"})
"""They say something of a body or of another protocol."""
OFTEN_NEW = frozenset(
    {"referer", "cookie", "x-request-id", "x-forwarded-for", "traceparent", "if-none-match"}
)
_MOST_LINES = 4096
_MOST_LINE_BYTES = 512
_START, _END = b"GET ", b" HTTP/1.1"


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

    def find_get(self, head: bytes) -> tuple[str, QuickHeaders] | None:
        """
        Target and headers of a ``GET`` in HTTP/1.1 that keeps the connection; None where anything is unusual.

        *head*: without the empty line. The target is ASCII and has no fragment; there is one plain ``Host``, and no
        name comes twice.
        """
        first, *lines = head.split(b"\r\n")
        if len(lines) > MAX_LINES or not (first.startswith(_START) and first.endswith(_END)):
            return None
        target = first[4:-9]
        if not is_target(target):
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
        return target.decode("ascii"), headers

    def _find_plain(self, line: bytes) -> tuple[str, str] | None:
        field = find_field(line)
        if field is None or not is_plain(*field):
            return None
        if field[0] not in OFTEN_NEW and len(line) <= _MOST_LINE_BYTES:
            if len(self._lines) >= _MOST_LINES:
                self._lines.clear()
            self._lines[line] = field
        return field


def is_plain(name: str, value: str) -> bool:
    """Whether a line of its own lets the request be one of many on a connection, without a body."""
    if name == "connection":
        return value.lower() == "keep-alive"
    if name != "host":
        return name not in _PECULIAR
    try:
        check_host((value,), required=True)
    except HeadInvalid:
        return False
    return True
