"""`LogRecord` to bytes and back: the payload of a spool frame and of an event log message."""

from dataclasses import fields
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from common.tracking.event import CounterRecord, EventRecord, LogRecord, WriterId

VERSION = 1


class RecordInvalid(ValueError):
    """Bytes that are no record of ours: a dead letter, with this message as its reason."""


_EVENT: TypeAdapter[EventRecord] = TypeAdapter(EventRecord)
_COUNTER: TypeAdapter[CounterRecord] = TypeAdapter(CounterRecord)
_KNOWN = {
    "event": frozenset(field.name for field in fields(EventRecord)),
    "counter": frozenset(field.name for field in fields(CounterRecord)),
}


def encode_record(record: LogRecord) -> bytes:
    return orjson.dumps(
        {
            "v": VERSION,
            "edge": record.writer.edge,
            "boot": record.writer.boot,
            "seq": record.sequence,
            "key": record.partition_key.hex(),
            "t": "event" if isinstance(record.body, EventRecord) else "counter",
            "body": record.body,
        }
    )


def parse_record(raw: bytes) -> LogRecord:
    """Raises `RecordInvalid`; bodies of any type but ours, unknown fields and versions included."""
    try:
        values: dict[str, Any] = orjson.loads(raw)
        if values["v"] != VERSION:
            raise RecordInvalid(f"version {values['v']!r} is not {VERSION}")
        body = values["body"]
        unknown = body.keys() - _KNOWN[values["t"]]
        if unknown:
            raise RecordInvalid(f"unknown fields {sorted(unknown)}")
        adapter: TypeAdapter[Any] = _EVENT if values["t"] == "event" else _COUNTER
        return LogRecord(
            WriterId(str(values["edge"]), str(values["boot"])),
            int(values["seq"]),
            bytes.fromhex(values["key"]),
            adapter.validate_python(body),
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise RecordInvalid(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, RecordInvalid):
            raise
        raise RecordInvalid(f"cannot be read: {error}") from error
