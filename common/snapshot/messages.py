"""
What travels from publish to receive: heartbeats, deltas, full snapshots.

One version stream for the whole service; each environment's edges get their own messages, holding only
what concerns them. A delta without entries for an environment still travels there: versions have no gaps.
"""

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import orjson

from common.snapshot.codec import SnapshotInvalid
from common.snapshot.model import SCHEMA, ObjectType

CHUNK_BYTES = 1_000_000
"""The most a compressed chunk of a full snapshot may hold."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One object put (its canonical JSON) or deleted (None)."""

    type: ObjectType
    id: str
    body: bytes | None


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Where the head is: epoch (changes when the database was restored), version, digest in hex."""

    epoch: str
    version: int
    digest: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Delta:
    """Leads from ``version - 1`` to ``version``; ``digest`` is that of the state after it."""

    epoch: str
    version: int
    digest: str
    at_ms: int
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Full:
    """A whole state at a version."""

    epoch: str
    version: int
    digest: str
    entries: tuple[Entry, ...]


def encode_heartbeat(beat: Heartbeat) -> bytes:
    return orjson.dumps(
        {"t": "beat", **_head(beat.epoch, beat.version, beat.digest), "at_ms": beat.at_ms}
    )


def encode_delta(delta: Delta) -> bytes:
    return orjson.dumps(
        {
            "t": "delta",
            **_head(delta.epoch, delta.version, delta.digest),
            "at_ms": delta.at_ms,
            "entries": [_entry_row(entry) for entry in delta.entries],
        }
    )


def parse_message(raw: bytes) -> Heartbeat | Delta:
    """Raises `SnapshotInvalid`."""
    try:
        values = orjson.loads(raw)
        if values["schema"] != SCHEMA:
            raise SnapshotInvalid(f"schema {values['schema']} is not {SCHEMA}")
        epoch, version = str(values["epoch"]), int(values["version"])
        digest, at_ms = str(values["digest"]), int(values["at_ms"])
        if values["t"] == "beat":
            return Heartbeat(epoch, version, digest, at_ms)
        return Delta(
            epoch, version, digest, at_ms, tuple(_parse_entry(r) for r in values["entries"])
        )
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise SnapshotInvalid(f"message cannot be read: {error}") from error


def encode_full(full: Full) -> tuple[bytes, list[bytes]]:
    """The header and its chunks, each compressed on its own and at most `CHUNK_BYTES`."""
    chunks = list(_chunks(full.entries))
    header = {**_head(full.epoch, full.version, full.digest), "chunks": len(chunks)}
    return orjson.dumps(header), chunks


@dataclass(frozen=True, slots=True)
class FullHeader:
    epoch: str
    version: int
    digest: str
    chunks: int


def parse_full_header(raw: bytes) -> FullHeader:
    """Raises `SnapshotInvalid`."""
    try:
        values = orjson.loads(raw)
        if values["schema"] != SCHEMA:
            raise SnapshotInvalid(f"schema {values['schema']} is not {SCHEMA}")
        return FullHeader(
            str(values["epoch"]),
            int(values["version"]),
            str(values["digest"]),
            int(values["chunks"]),
        )
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise SnapshotInvalid(f"full header cannot be read: {error}") from error


def parse_full(header: FullHeader, chunks: Iterable[bytes]) -> Full:
    """Raises `SnapshotInvalid`; the digest is checked by whoever adopts it."""
    entries: list[Entry] = []
    try:
        for chunk in chunks:
            entries.extend(
                _parse_entry(orjson.loads(line)) for line in zlib.decompress(chunk).splitlines()
            )
    except (orjson.JSONDecodeError, zlib.error, KeyError, TypeError, ValueError) as error:
        raise SnapshotInvalid(f"full snapshot cannot be read: {error}") from error
    return Full(header.epoch, header.version, header.digest, tuple(entries))


def _head(epoch: str, version: int, digest: str) -> dict[str, object]:
    return {"schema": SCHEMA, "epoch": epoch, "version": version, "digest": digest}


def _entry_row(entry: Entry) -> list[object]:
    return [entry.type.value, entry.id, None if entry.body is None else entry.body.decode()]


def _parse_entry(row: list[str | None]) -> Entry:
    kind, object_id, body = row
    if kind is None or object_id is None:
        raise SnapshotInvalid("an entry without type or id")
    return Entry(ObjectType(kind), object_id, None if body is None else body.encode())


def _chunks(entries: Iterable[Entry]) -> Iterator[bytes]:
    """Lines are gathered to `CHUNK_BYTES` before compression, so no chunk is larger after it."""
    lines: list[bytes] = []
    size = 0
    for entry in entries:
        line = orjson.dumps(_entry_row(entry), option=orjson.OPT_APPEND_NEWLINE)
        if size + len(line) > CHUNK_BYTES and lines:
            yield zlib.compress(b"".join(lines), 6)
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    if lines:
        yield zlib.compress(b"".join(lines), 6)
