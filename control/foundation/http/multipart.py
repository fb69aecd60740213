"""
``multipart/form-data`` (RFC 7578) taken apart as it arrives: a file of any size passes through a few kilobytes.

Strict where senders agree anyway: CRLF, no text around the parts, one ``Content-Disposition`` a part.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

_MAX_HEADER_BYTES = 4096
_MAX_PARTS = 16
_BOUNDARY = re.compile(r"[A-Za-z0-9'()+_,\-./:=? ]{0,69}[A-Za-z0-9'()+_,\-./:=?]")
_PARAMETER = re.compile(r';\s*([A-Za-z*]+)=(?:"((?:[^"\\]|\\.)*)"|([^;"\s]+))')
_ESCAPED = re.compile(r'\\(["\\])')


class MultipartInvalid(ValueError):
    """The body is no form; the message says where it went wrong."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part begins; its content follows as bytes."""

    name: str
    filename: str | None


Event = Part | bytes


def parse_boundary(content_type: str) -> bytes:
    """Raises `MultipartInvalid`. *content_type* is the whole header."""
    _, _, rest = content_type.partition(";")
    found = dict(_parameters(";" + rest)).get("boundary", "")
    if not _BOUNDARY.fullmatch(found):
        raise MultipartInvalid("Content-Type names no boundary.")
    return found.encode("ascii")


class MultipartParser:
    """One body. `feed` what arrives, then `finish`."""

    def __init__(self, boundary: bytes) -> None:
        self._delimiter = b"\r\n--" + boundary
        self._buffer = bytearray(b"\r\n")  # so that the first delimiter looks like the others
        self._in_part = False
        self._parts = 0
        self._ended = False

    def feed(self, data: bytes) -> Iterator[Event]:
        """Everything that is certain by now. Raises `MultipartInvalid`."""
        if self._ended:
            return
        self._buffer += data
        while True:
            if not self._in_part:
                part = self._take_head()
                if part is None:
                    return
                yield part
            content, found = self._take_content()
            if content:
                yield content
            if not found:
                return

    def finish(self) -> None:
        """Raises `MultipartInvalid` where the last boundary never came."""
        if not self._ended:
            raise MultipartInvalid("The form ends before its last boundary.")

    def _take_content(self) -> tuple[bytes, bool]:
        """What is certainly content, and whether a delimiter ended it."""
        buffer, delimiter = self._buffer, self._delimiter
        end = buffer.find(delimiter)
        if end >= 0:
            content = bytes(buffer[:end])
            del buffer[:end]
            self._in_part = False
            return content, True
        certain = max(0, len(buffer) - len(delimiter) + 1)
        content = bytes(buffer[:certain])
        del buffer[:certain]
        return content, False

    def _take_head(self) -> Part | None:
        """The next part's, from the delimiter on; None where more must come, or nothing will."""
        buffer, start = self._buffer, len(self._delimiter)
        if len(buffer) < start + 2:
            return None
        if not buffer.startswith(self._delimiter):
            raise MultipartInvalid("The form does not begin with its boundary.")
        after = bytes(buffer[start : start + 2])
        if after == b"--":
            self._ended = True
            return None
        if after != b"\r\n":
            raise MultipartInvalid("A boundary is followed by something else than CRLF.")
        end = buffer.find(b"\r\n\r\n", start)
        if end < 0 or end - start > _MAX_HEADER_BYTES:
            if len(buffer) - start > _MAX_HEADER_BYTES:
                raise MultipartInvalid("The headers of a part are too long.")
            return None
        lines = bytes(buffer[start + 2 : end]).split(b"\r\n")
        del buffer[: end + 4]
        # Empty content is followed by the delimiter's own CRLF, which the head's empty line did not use up.
        self._in_part = True
        self._parts += 1
        if self._parts > _MAX_PARTS:
            raise MultipartInvalid("The form has too many parts.")
        return _part(lines)


def _part(lines: list[bytes]) -> Part:
    for line in lines:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-disposition":
            return _disposition(value)
    raise MultipartInvalid("A part has no Content-Disposition.")


def _disposition(value: bytes) -> Part:
    try:
        text = value.decode()
    except UnicodeDecodeError:
        raise MultipartInvalid("A Content-Disposition is no UTF-8.") from None
    kind, _, _ = text.partition(";")
    found = dict(_parameters(text))
    if kind.strip().lower() != "form-data" or "name" not in found:
        raise MultipartInvalid("A part is no form-data with a name.")
    filename = found.get("filename")
    return Part(found["name"], None if filename is None else unquote(filename))


def _parameters(text: str) -> Iterator[tuple[str, str]]:
    for name, quoted, plain in _PARAMETER.findall(text):
        yield name.lower(), _ESCAPED.sub(r"\1", quoted) if quoted else plain
