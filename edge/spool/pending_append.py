"""Appends that wait for the spool's next commit, and their encoding as one piece of bytes."""

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
    """
    Records that were appended together. ``done``: each one's sequence, or the error for which it
    alone was not stored.
    """

    entries: Sequence[AppendEntry]
    done: "asyncio.Future[list[int | Exception]]"


@dataclass(slots=True)
class Encoded:
    """Encoded appends of one commit. ``results``: the result of each append."""

    results: list[list[int | Exception]] = field(default_factory=list)
    bodies: list[RecordBody] = field(default_factory=list)
    records: list[EncodedRecord] = field(default_factory=list)
    frames: list[bytes] = field(default_factory=list)


def encode_appends(writer: WriterId, taken: Iterable[Append], sequence: int) -> Encoded:
    """Numbers the records from *sequence* on. A record that cannot be encoded fails alone, and takes no sequence."""
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


def resolve(taken: Iterable[Append], results: Iterable[list[int | Exception]]) -> None:
    for append, fared in zip(taken, results, strict=True):
        if not append.done.done():
            append.done.set_result(fared)


def settle(done: "asyncio.Future[list[int | Exception]]") -> None:
    """Retrieves the exception of an append that no request waits for; it is counted already."""
    if not done.cancelled():
        done.exception()
