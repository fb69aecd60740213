"""
Streaming parser of ``multipart/form-data`` (RFC 7578): a file of any size needs a few kilobytes of memory.

python-multipart parses; this module limits the headers of a part and the number of parts.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser as PushParser
from python_multipart.multipart import parse_options_header

_MAX_HEADER_BYTES = 4096
_MAX_PARTS = 16
_BOUNDARY = re.compile(rb"[A-Za-z0-9'()+_,\-./:=? ]{0,69}[A-Za-z0-9'()+_,\-./:=?]")


class MultipartInvalid(ValueError):
    """The body is not a valid form; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Part:
    """Start of a part; its content follows as bytes."""

    name: str
    filename: str | None


Event = Part | bytes


def parse_boundary(content_type: str) -> bytes:
    """Returns the boundary in *content_type*, the whole header. Raises `MultipartInvalid`."""
    try:
        _, options = parse_options_header(content_type)
    except UnicodeEncodeError:
        options = {}
    found = options.get(b"boundary", b"")
    if not _BOUNDARY.fullmatch(found):
        raise MultipartInvalid("Content-Type has no boundary.")
    return found


class MultipartParser:
    """Parses one body: call `feed` with each piece, then `finish`."""

    def __init__(self, boundary: bytes) -> None:
        self._events: list[Event] = []
        self._field, self._value, self._disposition = b"", b"", b""
        self._header_bytes = self._parts = 0
        self._ended = False
        self._parser = PushParser(
            boundary,
            {
                "on_part_begin": self._begin_part,
                "on_header_field": self._add_field,
                "on_header_value": self._add_value,
                "on_header_end": self._end_header,
                "on_headers_finished": self._end_headers,
                "on_part_data": self._add_data,
                "on_end": self._end,
            },
            max_header_size=_MAX_HEADER_BYTES,
        )

    def feed(self, data: bytes) -> Iterator[Event]:
        """Yields the events that *data* completes. Raises `MultipartInvalid`."""
        if self._ended:
            return
        try:
            self._parser.write(data)
        except MultipartParseError as error:
            raise MultipartInvalid(f"{error}.".replace("..", ".")) from None
        events, self._events = self._events, []
        yield from events

    def finish(self) -> None:
        """Raises `MultipartInvalid` where the last boundary is missing."""
        if not self._ended:
            raise MultipartInvalid("The form ends before its last boundary.")

    def _begin_part(self) -> None:
        self._disposition, self._header_bytes = b"", 0
        self._parts += 1
        if self._parts > _MAX_PARTS:
            raise MultipartInvalid("The form has too many parts.")

    def _add_field(self, data: bytes, start: int, end: int) -> None:
        self._field += self._header(data, start, end)

    def _add_value(self, data: bytes, start: int, end: int) -> None:
        self._value += self._header(data, start, end)

    def _header(self, data: bytes, start: int, end: int) -> bytes:
        self._header_bytes += end - start
        if self._header_bytes > _MAX_HEADER_BYTES:
            raise MultipartInvalid("The headers of a part are too long.")
        return data[start:end]

    def _end_header(self) -> None:
        if self._field.strip().lower() == b"content-disposition" and not self._disposition:
            self._disposition = self._value
        self._field = self._value = b""

    def _end_headers(self) -> None:
        self._events.append(_parse_disposition(self._disposition))

    def _add_data(self, data: bytes, start: int, end: int) -> None:
        self._events.append(data[start:end])

    def _end(self) -> None:
        self._ended = True


def _parse_disposition(value: bytes) -> Part:
    """
    *value*: the header ``Content-Disposition``, or empty where it is missing.
    Names are UTF-8, as browsers send them.
    """
    kind, options = parse_options_header(value)
    if kind != b"form-data" or b"name" not in options:
        raise MultipartInvalid("A part has no form-data name.")
    try:
        name, filename = options[b"name"].decode(), options.get(b"filename", b"").decode()
    except UnicodeDecodeError:
        raise MultipartInvalid("A Content-Disposition is not valid UTF-8.") from None
    return Part(name, unquote(filename) if b"filename" in options else None)
