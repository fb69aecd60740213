"""Encodes and decodes `LogRecord`: the payload of a spool frame and of an event log message."""

import re
from dataclasses import dataclass, fields
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from common.decision.record import DecisionRecord
from common.tracking.event import (
    ConversionRecord,
    CounterRecord,
    EventRecord,
    LogRecord,
    RecordBody,
    WriterId,
)

VERSION = 1
_NARROW = 6


class RecordInvalid(ValueError):
    """Bytes that are not a valid record: they become a dead letter with this message as its reason."""


_TYPE_OF: dict[type, str] = {
    EventRecord: "event",
    CounterRecord: "counter",
    ConversionRecord: "conversion",
    DecisionRecord: "decision",
}
_MARK_OF = {kind: f'","t":"{name}","body":'.encode() for kind, name in _TYPE_OF.items()}
_ADAPTERS: dict[str, TypeAdapter[Any]] = {
    name: TypeAdapter(kind) for kind, name in _TYPE_OF.items()
}
_KNOWN = {name: frozenset(field.name for field in fields(kind)) for kind, name in _TYPE_OF.items()}


_START = re.compile(
    rb'\{"v":1,"edge":"(?:[^"\\]|\\.)*","boot":"[^"\\]*","seq":([0-9]{1,18}),"key":"((?:[0-9a-f]{2})*)","t":"'
)
"""The beginning of every record from `encode_record`, up to its type."""


@dataclass(slots=True)
class EncodedRecord:
    """An encoded `LogRecord` as in spool and log: its bytes, and the fields that shipping needs."""

    sequence: int
    partition_key: bytes
    raw: bytes

    @property
    def body(self) -> RecordBody:
        """Parsed at each access. Raises `RecordInvalid`."""
        return parse_record(self.raw).body


def find_encoded(raw: bytes) -> EncodedRecord | None:
    """Reads only the beginning of *raw*; returns None where it does not begin like a record."""
    start = _START.match(raw)
    if start is None:
        return None
    return EncodedRecord(int(start[1]), bytes.fromhex(start[2].decode("ascii")), raw)


def raw_of(record: LogRecord | EncodedRecord) -> bytes:
    return record.raw if isinstance(record, EncodedRecord) else encode_record(record)


def encode_record(record: LogRecord) -> bytes:
    start = start_of(record.writer)
    return encode_body(start, record.sequence, record.partition_key, record.body)


def start_of(writer: WriterId) -> bytes:
    """Returns the beginning of all records of *writer*."""
    edge, boot = orjson.dumps(writer.edge), orjson.dumps(writer.boot)
    return b'{"v":%d,"edge":%s,"boot":%s,"seq":' % (VERSION, edge, boot)


def encode_body(start: bytes, sequence: int, partition_key: bytes, body: RecordBody) -> bytes:
    """`encode_record` for a writer whose *start* is known."""
    key, kind = partition_key.hex().encode(), _MARK_OF[type(body)]
    return b"".join((start, b"%d" % sequence, b',"key":"', key, kind, orjson.dumps(body), b"}"))


def parse_record(raw: bytes) -> LogRecord:
    """Raises `RecordInvalid`, also for unknown types, fields and versions."""
    try:
        values: dict[str, Any] = orjson.loads(raw)
        if values["v"] != VERSION:
            raise RecordInvalid(f"version {values['v']!r} is not {VERSION}")
        body = values["body"]
        if values["t"] == "counter":
            body = _widened(body)
        unknown = body.keys() - _KNOWN[values["t"]]
        if unknown:
            raise RecordInvalid(f"unknown fields {sorted(unknown)}")
        return LogRecord(
            WriterId(str(values["edge"]), str(values["boot"])),
            int(values["seq"]),
            bytes.fromhex(values["key"]),
            _ADAPTERS[values["t"]].validate_python(body),
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise RecordInvalid(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, RecordInvalid):
            raise
        raise RecordInvalid(f"cannot be read: {error}") from error


def _widened(body: dict[str, Any]) -> dict[str, Any]:
    """Returns a counter in the current form: older rows lack country, device, surface and format."""
    rows = [
        [*row[:-1], None, None, None, None, row[-1]] if len(row) == _NARROW else row
        for row in body["rows"]
    ]
    return {**body, "rows": rows}
