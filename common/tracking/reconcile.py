"""
Requests of the control plane for missing records, and the replies of edges.
Both go through Redis, not through calls.
"""

from bisect import bisect_right
from dataclasses import dataclass
from operator import itemgetter

from pydantic import TypeAdapter, ValidationError

MAX_RANGES = 1_000
"""Ranges in one request; further missing ones are requested after these have arrived."""


class ReconcileInvalid(ValueError):
    """Bytes that are not a message of this kind."""


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """Sequences of one writer, (first, last) each, to be appended again. ``asked_ms`` identifies the request."""

    asked_ms: int
    ranges: tuple[tuple[int, int], ...]
    """Sorted and not adjacent."""

    def holds(self, sequence: int) -> bool:
        place = bisect_right(self.ranges, sequence, key=itemgetter(0)) - 1
        return place >= 0 and sequence <= self.ranges[place][1]

    def overlaps(self, first: int, last: int) -> bool:
        """Whether any of the sequences from *first* to *last* is requested."""
        place = bisect_right(self.ranges, last, key=itemgetter(0)) - 1
        return place >= 0 and first <= self.ranges[place][1]


@dataclass(frozen=True, slots=True)
class Retained:
    """
    What a machine retains of one writer: ``last``, the highest sequence on its disk; ``asked_ms``, the request it
    answered last (0: none); ``sent``, the records it has appended again since it started.
    """

    at_ms: int
    last: int
    asked_ms: int = 0
    sent: int = 0


_WANTED: TypeAdapter[ReplayRequest] = TypeAdapter(ReplayRequest)
_KEPT: TypeAdapter[Retained] = TypeAdapter(Retained)


def encode_wanted(wanted: ReplayRequest) -> bytes:
    return _WANTED.dump_json(wanted)


def parse_wanted(raw: bytes) -> ReplayRequest:
    """Raises `ReconcileInvalid`."""
    try:
        return _WANTED.validate_json(raw)
    except ValidationError as error:
        raise ReconcileInvalid(str(error)) from error


def encode_retained(retained: Retained) -> bytes:
    return _KEPT.dump_json(retained)


def parse_retained(raw: bytes) -> Retained:
    """Raises `ReconcileInvalid`."""
    try:
        return _KEPT.validate_json(raw)
    except ValidationError as error:
        raise ReconcileInvalid(str(error)) from error
