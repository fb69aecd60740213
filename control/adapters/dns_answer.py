"""
Reads the response of a name server in one pass over its bytes.

dnspython makes an object of each name and compares records with each other, so that a large response of an untrusted
zone blocks the event loop. `make measure-parsers` measures this parser.
"""

import socket
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from common.fetching.web import RecordKind

_HEAD: Final = struct.Struct("!HHHH")
_RECORD: Final = struct.Struct("!HHIH")
_HEAD_BYTES: Final = 12
_RESPONSE, _OPCODE, _CUT, _RCODE = 0x8000, 0x7800, 0x0200, 0x000F
_POINTER, _MAX_LABEL = 0xC0, 63
_INTERNET: Final = 1
_MAX_VALUES: Final = 100


@dataclass(frozen=True, slots=True)
class DnsAnswer:
    """``is_cut``: the whole answer comes by TCP. ``values``: at most a hundred distinct ones, as text."""

    rcode: int
    is_cut: bool
    values: tuple[str, ...] = ()


def parse_answer(wire: bytes, query: bytes, kind: RecordKind) -> DnsAnswer | None:
    """
    Returns None for a message that is no response to *query*. Raises ValueError for a malformed one.

    It takes records of *kind* under every name of the answer section: a recursive server puts nothing there except the
    records of the name and those of its aliases.
    """
    try:
        _number, flags, questions, records = _HEAD.unpack_from(wire)
        rcode = flags & _RCODE
        if wire[:2] != query[:2] or not flags & _RESPONSE or flags & _OPCODE:
            return None
        if not questions:
            return DnsAnswer(rcode, is_cut=False) if rcode else None
        end = _skip_name(query, _HEAD_BYTES) + 4
        # Lengths of labels are below the letters, so that only letters change.
        if questions != 1 or wire[_HEAD_BYTES:end].lower() != query[_HEAD_BYTES:end].lower():
            return None
        if flags & _CUT:
            return DnsAnswer(rcode, is_cut=True)
        return DnsAnswer(rcode, is_cut=False, values=_values(wire, end, records, kind))
    except (IndexError, struct.error):
        raise ValueError("The response ends too early.") from None


def _values(wire: bytes, at: int, records: int, kind: RecordKind) -> tuple[str, ...]:
    wanted, read = _READERS[kind]
    found: dict[str, None] = {}
    for _ in range(records):
        at = _skip_name(wire, at)
        type_, class_, _ttl, size = _RECORD.unpack_from(wire, at)
        at += _RECORD.size
        if at + size > len(wire):
            raise ValueError("A record is longer than its response.")
        if type_ == wanted and class_ == _INTERNET:
            found[read(wire[at : at + size])] = None
            if len(found) == _MAX_VALUES:
                break
        at += size
    return tuple(found)


def _skip_name(wire: bytes, at: int) -> int:
    """Returns where the name at *at* ends, without following pointers."""
    while length := wire[at]:
        if length >= _POINTER:
            return at + 2
        if length > _MAX_LABEL:
            raise ValueError("A label has an unknown type.")
        at += length + 1
    return at + 1


def _text(data: bytes) -> str:
    """Returns a TXT record's strings joined, as RFC 7208 does."""
    parts, at = [], 0
    while at < len(data):
        end = at + 1 + data[at]
        if end > len(data):
            raise ValueError("A text is longer than its record.")
        parts.append(data[at + 1 : end])
        at = end
    return b"".join(parts).decode("utf-8", "replace")


_READERS: Final[Mapping[RecordKind, tuple[int, Callable[[bytes], str]]]] = {
    RecordKind.TEXT: (16, _text),
    RecordKind.IPV4: (1, partial(socket.inet_ntop, socket.AF_INET)),
    RecordKind.IPV6: (28, partial(socket.inet_ntop, socket.AF_INET6)),
}
