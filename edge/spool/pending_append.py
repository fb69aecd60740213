"""What waits for the spool's next commit, and its one piece of bytes."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from common.tracking.event import RecordBody, WriterId
from common.tracking.record import EncodedRecord, encode_body, start_of
from edge.spool.frame import encode_frame

AppendEntry = tuple[RecordBody, bytes]
"""A body and its partition key."""


@dataclass(slots=True)
class Append:
    """Records that came together. ``done``: each one's sequence, or why it alone is not kept."""

    entries: Sequence[AppendEntry]
    done: "asyncio.Future[list[int | Exception]]"


@dataclass(slots=True)
class Encoded:
    """Of appends that are committed together. ``results``: what each is to be told."""

    results: list[list[int | Exception]] = field(default_factory=list)
    bodies: list[RecordBody] = field(default_factory=list)
    records: list[EncodedRecord] = field(default_factory=list)
    frames: list[bytes] = field(default_factory=list)


def encode_appends(writer: WriterId, taken: Iterable[Append], sequence: int) -> Encoded:
    """Numbered from *sequence* on. One that cannot be encoded fails alone, and takes no sequence."""
    encoded, start = Encoded(), start_of(writer)
    for append in taken:
        fared: list[int | Exception] = []
        for body, partition_key in append.entries:
            try:
                raw = encode_body(start, sequence, partition_key, body)
                encoded.frames.append(encode_frame(raw))
            except (TypeError, ValueError) as error:
                fared.append(error)
                continue
            encoded.bodies.append(body)
            encoded.records.append(EncodedRecord(sequence, partition_key, raw))
            fared.append(sequence)
            sequence += 1
        encoded.results.append(fared)
    return encoded


def hand_out(taken: Iterable[Append], results: Iterable[list[int | Exception]]) -> None:
    for append, fared in zip(taken, results, strict=True):
        if not append.done.done():
            append.done.set_result(fared)


def look_at(done: "asyncio.Future[list[int | Exception]]") -> None:
    """A failure nobody waits for is counted already."""
    if not done.cancelled():
        done.exception()
