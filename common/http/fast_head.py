"""
Parses a request head without Sanic, for the fast path (`common.http.protocol` reads other requests). The rules are
those of `common.http.head`; a head that is not plain is left to the slow path.
"""

import re
from collections.abc import Sequence
from typing import Final, final

from common.http.head import HeadInvalid, check_host, find_field, is_target

MAX_LINES: Final = 64
_PECULIAR: Final = frozenset({"content-length", "transfer-encoding", "expect", "upgrade"})
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
_MAX_BLOCKS: Final = 8192
_MAX_SPELLINGS: Final = 256
_MAX_BLOCK_BYTES: Final = 2048
_LENGTH: Final = re.compile(r"[1-9][0-9]{0,5}")
_START: Final = b"GET "
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
        self.about: object = None


@final
class FastHead:
    """
    ``target``: ASCII, without a fragment. Headers by name in lower case, each of them once: those of ``block``, and
    ``fresh`` ones.
    """

    def __init__(self, target: str, block: StableHeaders, fresh: dict[str, str]) -> None:
        self.target = target
        self.block = block
        self.fresh = fresh

    def get(self, name: str) -> str | None:
        value = self.fresh.get(name)
        return self.block.fields.get(name) if value is None else value

    def getall(self, name: str, default: Sequence[str]) -> Sequence[str]:
        value = self.get(name)
        return default if value is None else (value,)


@final
class HeadReader:
    """
    Caches header lines, and sets of lines that occur together: user agents, languages and keys recur, and a look-up
    costs less than parsing. Belongs to one event loop.

    *with_body*: for requests with a body, which may have one ``Content-Length``, and no ``Content-Encoding``.
    """

    def __init__(self, *, with_body: bool = False) -> None:
        self._with_body = with_body
        self._lines: dict[bytes, tuple[str, str]] = {}
        self._blocks: dict[tuple[bytes, ...], StableHeaders] = {}
        self._usual: dict[bytes, str] = {}
        """Names of `PER_REQUEST_HEADERS` in the spellings received."""

    def find_get(self, head: bytes) -> FastHead | None:
        """
        Parses a ``GET`` in HTTP/1.1 on a kept-alive connection; returns None where anything is unusual.

        *head*: without the empty line. It must have one plain ``Host``, and no name twice.
        """
        lines = head.split(b"\r\n")
        target = _find_target(lines[0])
        return None if target is None else self.find_fields(target, lines)

    def find_fields(self, target: str, lines: list[bytes]) -> FastHead | None:
        """The same for *lines*, of which the first is the request line for *target*."""
        if len(lines) > MAX_LINES:
            return None
        known, steady, new = self._lines, list[bytes](), list[bytes]()
        for line in lines[1:]:
            (steady if line in known else new).append(line)
        fresh = self._find_fresh(new, steady, known) if new else _NO_FIELDS
        if fresh is None:
            return None
        key = tuple(steady)
        block = self._blocks.get(key) or self._find_block(key, known)
        if block is None or not block.fields.keys().isdisjoint(fresh):
            return None
        if "host" not in block.fields and "host" not in fresh:
            return None
        return FastHead(target, block, fresh)

    def _find_fresh(
        self, lines: list[bytes], steady: list[bytes], known: dict[bytes, tuple[str, str]]
    ) -> dict[str, str] | None:
        """Returns the fields of *lines*; lines that are cached from now on are added to *steady* instead."""
        fresh: dict[str, str] = {}
        for line in lines:
            at = line.find(b":")
            usual = self._usual.get(line[:at]) if at > 0 else None
            value = None if usual is None else _find_printable(line[at + 1 :])
            if usual is not None and value is not None:
                if usual in fresh:
                    return None
                fresh[usual] = value.lstrip(" ")
                continue
            field = self._find_plain(line)
            if field is None or field[0] in fresh:
                return None
            if line in known:
                steady.append(line)
            else:
                fresh[field[0]] = field[1]
        return fresh

    def _find_block(
        self, lines: tuple[bytes, ...], known: dict[bytes, tuple[str, str]]
    ) -> StableHeaders | None:
        """Returns None where a name occurs twice."""
        block = StableHeaders(dict([known[line] for line in lines]))
        if len(block.fields) != len(lines):
            return None
        if sum([len(line) for line in lines]) <= _MAX_BLOCK_BYTES:
            if len(self._blocks) >= _MAX_BLOCKS:
                self._blocks.clear()
            self._blocks[lines] = block
        return block

    def _find_plain(self, line: bytes) -> tuple[str, str] | None:
        field = find_field(line)
        if field is None or not self._is_plain(field[0], field[1]):
            return None
        if field[0] not in PER_REQUEST_HEADERS and len(line) <= _MAX_LINE_BYTES:
            if len(self._lines) >= _MAX_LINES:
                # A new dict: the head in progress continues with the lines that were cached when it began.
                self._lines = {}
            self._lines[line] = field
        elif field[0] in PER_REQUEST_HEADERS and len(self._usual) < _MAX_SPELLINGS:
            self._usual[line[: len(field[0])]] = field[0]
        return field

    def _is_plain(self, name: str, value: str) -> bool:
        if not self._with_body:
            return is_plain(name, value)
        if name == "content-length":
            return _LENGTH.fullmatch(value) is not None
        return name != "content-encoding" and is_plain(name, value)


def _find_target(line: bytes) -> str | None:
    if not (line.startswith(_START) and line.endswith(_END)):
        return None
    target = line[4:-9]
    return target.decode("ascii") if is_target(target) else None


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
        return name not in _PECULIAR
    try:
        check_host((value,), required=True)
    except HeadInvalid:
        return False
    return True
