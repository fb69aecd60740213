"""
What workers and the grantor of leases tell each other: canonical JSON, refused where it is anything else.

A report carries what changed since the last one that was answered, and who asks; grants carry what changed since the
last ones that were applied: all three counts of a lease, for each side takes the greatest it has heard of.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from common.pacing.controller import WHOLE
from common.values.stepwise import run_to_end

_VERSION = 1
_LAST_REPORT = 2
"""Of a worker that is dead. A grantor that does not know it yet refuses it, and the lease ends with time."""
_MOST = 2**62
_PIECE_BYTES = 8_000
"""Of lines between two steps of reading, a hundred or so: some tenths of a millisecond."""
_REPORT_LINE = (str, int, int, bool)
_GRANT_LINE = (str, int, int, int, str, bool)
_WITH_COIN = (*_GRANT_LINE, int)


class LeaseMessageInvalid(ValueError):
    """Bytes that are no message of this protocol."""


class ReportLine(NamedTuple):
    """``asks``: it was asked for more than it has."""

    campaign_id: str
    returned_micros: int
    committed_micros: int
    asks: bool


@dataclass(frozen=True, slots=True)
class Report:
    """
    Number *sequence* of a worker, which applied grants up to ``number`` of ``epoch`` (0, 0: none). ``has_ended``: the
    worker is dead, committed what the lines say, of other campaigns nothing more than was reported, and never will.
    """

    sequence: int
    epoch: int
    number: int
    lines: tuple[ReportLine, ...]
    has_ended: bool = False


class GrantLine(NamedTuple):
    """
    ``day``: ISO date in the campaign's zone, where it has a budget a day: only that day may commit it; else empty.
    ``recalled``: others need what this worker does not. ``pass_ppm``: of a million chances to win, how many it takes.
    """

    campaign_id: str
    granted_micros: int
    returned_micros: int
    committed_micros: int
    day: str
    recalled: bool
    pass_ppm: int = WHOLE


@dataclass(frozen=True, slots=True)
class Grants:
    """``epoch`` counts grantors, ``number`` the grants of one; ``answers``: the worker's report they know of."""

    epoch: int
    number: int
    answers: int
    lines: tuple[GrantLine, ...]


def encode_report(report: Report) -> bytes:
    lines = [one[:] for one in report.lines]
    version = _LAST_REPORT if report.has_ended else _VERSION
    return orjson.dumps((version, report.sequence, report.epoch, report.number, lines))


def parse_report(raw: bytes) -> Report:
    """Raises `LeaseMessageInvalid`."""
    version, sequence, epoch, number, lines = _parts(raw, (_VERSION, _LAST_REPORT))
    _check_lines(lines, _REPORT_LINE)
    found = tuple(map(ReportLine._make, lines))
    return Report(sequence, epoch, number, found, has_ended=version == _LAST_REPORT)


def encode_grants(grants: Grants) -> bytes:
    lines = [_grant_line(one) for one in grants.lines]
    return orjson.dumps((_VERSION, grants.epoch, grants.number, grants.answers, lines))


def _grant_line(one: GrantLine) -> tuple[str | int | bool, ...]:
    """The coin stands in it only where there is one: most have none."""
    return one[:-1] if one.pass_ppm == WHOLE else one[:]


def parse_grants(raw: bytes) -> Grants:
    """Raises `LeaseMessageInvalid`."""
    return run_to_end(parse_grants_steps(raw))


def parse_grants_steps(raw: bytes) -> Generator[None, None, Grants]:
    """`parse_grants`, wherever it yields others may have their turn: a worker that is new is granted megabytes."""
    start, epoch, number, answers = _head_of_grants(raw)
    found: list[GrantLine] = []
    for piece in _pieces(raw[start + 1 : -2]):
        found += [GrantLine(*_checked(line, _kinds_of(line))) for line in _loaded(piece)]
        yield
    return Grants(epoch, number, answers, tuple(found))


def parse_answered(raw: bytes) -> int:
    """The report that grants answer. Raises `LeaseMessageInvalid`."""
    return _head_of_grants(raw)[-1]


def _head_of_grants(raw: bytes) -> tuple[int, int, int, int]:
    """Where the lines begin, then the three counts."""
    start = raw.find(b"[", 1)
    if start < 0 or not raw.endswith(b"]]"):
        raise LeaseMessageInvalid("of another version or shape")
    _, epoch, number, answers, _ = _parts(raw[:start] + b"[]]", (_VERSION,))
    return start, epoch, number, answers


def _pieces(lines: bytes) -> Iterator[bytes]:
    """*lines*, which stand between commas, some at a time. No line has another list in it."""
    start = 0
    while start < len(lines):
        end = lines.find(b"],[", start + _PIECE_BYTES) + 1
        yield b"[" + lines[start : end or None] + b"]"
        start = end + 1 if end else len(lines)


def _loaded(raw: bytes) -> Any:
    try:
        return orjson.loads(raw)
    except (orjson.JSONDecodeError, TypeError) as error:
        raise LeaseMessageInvalid("cannot be read") from error


def _kinds_of(line: Any) -> tuple[type, ...]:
    has_coin = isinstance(line, list) and len(line) == len(_WITH_COIN)
    return _WITH_COIN if has_coin else _GRANT_LINE


def _parts(raw: bytes, versions: tuple[int, ...]) -> tuple[int, int, int, int, list[Any]]:
    try:
        version, *counts, lines = _loaded(raw)
    except (TypeError, ValueError) as error:
        raise LeaseMessageInvalid("cannot be read") from error
    if version not in versions or len(counts) != 3 or not isinstance(lines, list):  # noqa: PLR2004 - three counts
        raise LeaseMessageInvalid("of another version or shape")
    first, second, third = _checked(counts, (int, int, int))
    return version, first, second, third, lines


def _check_lines(lines: list[Any], kinds: tuple[type, ...]) -> None:
    """A column at a time, which costs a fifth of `_checked` for each line: a worker reports a thousand a second."""
    if not set(map(type, lines)) <= {list} or not set(map(len, lines)) <= {len(kinds)}:
        raise LeaseMessageInvalid("a line of another length")
    for column, kind in zip(zip(*lines, strict=True), kinds, strict=False):
        if set(map(type, column)) != {kind}:
            raise LeaseMessageInvalid(f"{column[:3]!r} … are of other kinds")
        if kind is int and not (min(column) >= 0 and max(column) < _MOST):
            raise LeaseMessageInvalid(f"{column[:3]!r} … are no counts of this protocol")


def _checked(values: Any, kinds: tuple[type, ...]) -> list[Any]:
    if not isinstance(values, list) or len(values) != len(kinds):
        raise LeaseMessageInvalid("a line of another length")
    if tuple(map(type, values)) != kinds:
        raise LeaseMessageInvalid(f"{values!r} is of other kinds")
    for value, kind in zip(values, kinds, strict=True):
        if kind is int and not 0 <= value < _MOST:
            raise LeaseMessageInvalid(f"{value!r} is no count of this protocol")
    return values
