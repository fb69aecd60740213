"""
The messages from publish to receive: heartbeats, deltas, full snapshots.

The whole service has one stream of versions. The edges of each environment get their own messages, with only the
objects that concern them. A delta without entries for an environment is sent there all the same, so that versions have
no gaps.

Every message and the header of a full state begins with the CRC32 of the JSON behind it (8 hex digits, a space). The
digest protects the objects; this checksum protects epoch, version and time. Chunks have the checksum of their
compression.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

from common.snapshot.codec import SnapshotInvalid
from common.snapshot.model import SCHEMA, ObjectType

CHUNK_BYTES = 1_000_000
"""Maximum size of a full snapshot's chunk before compression; compressed chunks are no larger."""

_NO_ENTRY = "an entry that is not [type, id, body or null]"
_TYPES = {kind.value: kind for kind in ObjectType}
_AT_ONCE = 50
"""Lines whose JSON is parsed in one go: some tenths of a millisecond."""
_entry = tuple.__new__
"""The constructor of a NamedTuple takes twice as long, and a state has hundreds of thousands of entries."""


class ObjectChange(NamedTuple):
    """One object that is put (with its canonical JSON) or deleted (None)."""

    type: ObjectType
    id: str
    body: bytes | None


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The current head: epoch (changes when the database was restored), version, digest in hex."""

    epoch: str
    version: int
    digest: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Delta:
    """Changes the state from ``version - 1`` to ``version``; ``digest`` is that of the state after it."""

    epoch: str
    version: int
    digest: str
    at_ms: int
    entries: tuple[ObjectChange, ...]


@dataclass(frozen=True, slots=True)
class FullState:
    """A whole state at a version. ``chunks``: the received chunks of its entries, empty where it was not received."""

    epoch: str
    version: int
    digest: str
    entries: tuple[ObjectChange, ...]
    chunks: tuple[bytes, ...] = field(default=(), compare=False, repr=False)


def encode_heartbeat(beat: Heartbeat) -> bytes:
    return _checked(
        {"t": "beat", **_head(beat.epoch, beat.version, beat.digest), "at_ms": beat.at_ms}
    )


def encode_delta(delta: Delta) -> bytes:
    return _checked(
        {
            "t": "delta",
            **_head(delta.epoch, delta.version, delta.digest),
            "at_ms": delta.at_ms,
            "entries": [entry_row(entry) for entry in delta.entries],
        }
    )


def parse_message(raw: bytes) -> Heartbeat | Delta:
    """Raises `SnapshotInvalid`."""
    values = _parse_checked(raw)
    try:
        epoch, version = str(values["epoch"]), int(values["version"])
        digest, at_ms = str(values["digest"]), int(values["at_ms"])
        if values["t"] == "beat":
            return Heartbeat(epoch, version, digest, at_ms)
        return Delta(epoch, version, digest, at_ms, parse_rows(values["entries"]))
    except (KeyError, TypeError, ValueError) as error:
        raise SnapshotInvalid(f"message cannot be read: {error!r}") from error


def parse_heartbeat(raw: bytes) -> Heartbeat:
    """As `parse_message`. Raises `SnapshotInvalid` also for a delta."""
    message = parse_message(raw)
    if isinstance(message, Delta):
        raise SnapshotInvalid("a delta came where a heartbeat was due")
    return message


def encode_full(full: FullState) -> tuple[bytes, list[bytes]]:
    """
    Returns the header and its chunks, each compressed on its own and at most `CHUNK_BYTES`.
    Received chunks are reused.
    """
    chunks = list(full.chunks or _chunks(full.entries))
    header = {**_head(full.epoch, full.version, full.digest), "chunks": len(chunks)}
    return _checked(header), chunks


@dataclass(frozen=True, slots=True)
class FullHeader:
    epoch: str
    version: int
    digest: str
    chunks: int


def parse_full_header(raw: bytes) -> FullHeader:
    """Raises `SnapshotInvalid`."""
    values = _parse_checked(raw)
    try:
        return FullHeader(
            str(values["epoch"]),
            int(values["version"]),
            str(values["digest"]),
            int(values["chunks"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise SnapshotInvalid(f"full header cannot be read: {error!r}") from error


def parse_full(header: FullHeader, chunks: Sequence[bytes]) -> FullState:
    """Raises `SnapshotInvalid`. The code that adopts the state checks the digest."""
    entries = [entry for chunk in chunks for entry in parse_chunk(chunk)]
    return FullState(header.epoch, header.version, header.digest, tuple(entries), tuple(chunks))


def parse_chunk(chunk: bytes) -> Iterator[ObjectChange]:
    """Yields entries one at a time, after some milliseconds of decompression. Raises `SnapshotInvalid`."""
    try:
        lines = zlib.decompress(chunk).split(b"\n")[:-1]
        for first in range(0, len(lines), _AT_ONCE):
            yield from map(
                _parse_row, orjson.loads(b"[%b]" % b",".join(lines[first : first + _AT_ONCE]))
            )
    except (orjson.JSONDecodeError, zlib.error) as error:
        raise SnapshotInvalid(f"full snapshot cannot be read: {error}") from error


def _head(epoch: str, version: int, digest: str) -> dict[str, object]:
    return {"schema": SCHEMA, "epoch": epoch, "version": version, "digest": digest}


def entry_row(entry: ObjectChange) -> list[str | None]:
    """Returns an entry as a JSON row: type, id, body text or null."""
    return [entry.type.value, entry.id, None if entry.body is None else entry.body.decode()]


def parse_rows(rows: Any) -> tuple[ObjectChange, ...]:
    """The inverse of `entry_row` for a list; raises `SnapshotInvalid`."""
    if not isinstance(rows, list):
        raise SnapshotInvalid("entries are not a list")
    return tuple(_parse_row(row) for row in rows)


def _parse_row(row: Any) -> ObjectChange:
    try:
        kind, object_id, body = row
        found = _TYPES[kind]
    except (KeyError, TypeError, ValueError) as error:
        raise SnapshotInvalid(_NO_ENTRY) from error
    if type(row) is not list or type(object_id) is not str:
        raise SnapshotInvalid(_NO_ENTRY)
    if body is None:
        return ObjectChange(found, object_id, None)
    if type(body) is not str:
        raise SnapshotInvalid(_NO_ENTRY)
    return _entry(ObjectChange, (found, object_id, body.encode()))


def _checked(values: dict[str, object]) -> bytes:
    raw = orjson.dumps(values)
    return b"%08x %b" % (zlib.crc32(raw), raw)


def _parse_checked(raw: bytes) -> dict[str, Any]:
    sum_text, _, body = raw.partition(b" ")
    if sum_text != b"%08x" % zlib.crc32(body):
        raise SnapshotInvalid("the checksum is wrong")
    try:
        values: dict[str, Any] = orjson.loads(body)
        if values["schema"] != SCHEMA:
            raise SnapshotInvalid(f"schema {values['schema']} is not {SCHEMA}")
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise SnapshotInvalid(f"message cannot be read: {error!r}") from error
    return values


def _chunks(entries: Iterable[ObjectChange]) -> Iterator[bytes]:
    """
    Collects lines up to `CHUNK_BYTES` before compression, so no compressed chunk is larger.

    It uses level 1: four times as fast as level 6 for a fifth more bytes, and edges wait for the first full state.
    """
    lines: list[bytes] = []
    size = 0
    for entry in entries:
        line = orjson.dumps(entry_row(entry), option=orjson.OPT_APPEND_NEWLINE)
        if size + len(line) > CHUNK_BYTES and lines:
            yield zlib.compress(b"".join(lines), 1)
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    if lines:
        yield zlib.compress(b"".join(lines), 1)
