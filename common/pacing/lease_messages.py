"""
Messages between workers and the allocator of leases: canonical JSON; anything else is rejected.

A report has the changes since the last answered one, and the campaigns that need more. Grants have the changes since
the last applied ones. Both contain all three counts of a lease, because each side takes the maximum that it received.
"""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import orjson

from common.pacing.controller import WHOLE
from common.service.cooperative import batches

_VERSION = 1
_LAST_REPORT = 2
"""Version of a dead worker's report. An older allocator rejects it, and the lease ends with its term."""
_MAX_NUMBER = 2**62
_PIECE_BYTES = 8_000
"""Bytes of lines between two steps of parsing, a hundred lines or so: some tenths of a millisecond."""
_REPORT_LINE = (str, int, int, bool)
_GRANT_LINE = (str, int, int, int, str, bool)
_WITH_PASS_RATE = (*_GRANT_LINE, int)


T = TypeVar("T")


class LeaseMessageInvalid(ValueError):
    """Bytes that are not a message of this protocol."""


class ReportLine(NamedTuple):
    """``is_request``: the worker needed more than its lease has."""

    campaign_id: str
    returned_micros: int
    committed_micros: int
    is_request: bool


@dataclass(frozen=True, slots=True)
class Report:
    """
    Report number *sequence* of a worker that applied grants up to ``number`` of ``epoch`` (0, 0: none). ``has_ended``:
    the worker is dead. It committed what the lines state, nothing beyond earlier reports for other campaigns, and will
    never commit again.
    """

    sequence: int
    epoch: int
    number: int
    lines: tuple[ReportLine, ...]
    has_ended: bool = False


class GrantLine(NamedTuple):
    """
    ``day``: an ISO date in the campaign's zone if it has a daily budget, else empty; only on that day may the lease be
    committed. ``recalled``: other workers need what this one does not. ``pass_ppm``: how many it takes of a million
    chances to win.
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
    """
    ``epoch`` counts allocators, ``number`` the grants of one; ``answers``: the last report of the worker that they
    include.
    """

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
    return run_to_end(encode_grants_steps(grants))


def encode_grants_steps(grants: Grants) -> Generator[None, None, bytes]:
    """Runs `encode_grants` in steps."""
    head = orjson.dumps((_VERSION, grants.epoch, grants.number, grants.answers))
    lines = yield from encode_list_steps(map(_grant_line, grants.lines))
    return head[:-1] + b"," + lines + b"]"


def encode_list_steps(rows: Iterable[Any]) -> Generator[None, None, bytes]:
    """Returns the JSON list of *rows*, encoded in steps."""
    parts = []
    for batch in batches(rows):
        parts.append(orjson.dumps(batch)[1:-1])
        yield
    return b"[" + b",".join(parts) + b"]"


def encode_map_steps(items: Iterable[tuple[str, Any]]) -> Generator[None, None, bytes]:
    """Returns the JSON object of *items*, encoded in steps."""
    parts = []
    for batch in batches(items):
        parts.append(orjson.dumps(dict(batch))[1:-1])
        yield
    return b"{" + b",".join(parts) + b"}"


def parse_list_steps(raw: bytes) -> Generator[None, None, list[Any]]:
    """Returns the rows of a JSON list of lists without further lists, parsed in steps."""
    found: list[Any] = []
    for piece in _pieces(raw[1:-1]):
        found += orjson.loads(piece)
        yield
    return found


def _grant_line(one: GrantLine) -> tuple[str | int | bool, ...]:
    """Omits the pass rate where it is `WHOLE`, as for most campaigns."""
    return one[:-1] if one.pass_ppm == WHOLE else one[:]


def parse_grants(raw: bytes) -> Grants:
    """Raises `LeaseMessageInvalid`."""
    return run_to_end(parse_grants_steps(raw))


def parse_grants_steps(raw: bytes) -> Generator[None, None, Grants]:
    """Runs `parse_grants` in steps, so that other work can run in between: a new worker is granted megabytes."""
    start, epoch, number, answers = _head_of_grants(raw)
    found: list[GrantLine] = []
    for piece in _pieces(raw[start + 1 : -2]):
        found += [GrantLine(*_checked(line, _kinds_of(line))) for line in _loaded(piece)]
        yield
    return Grants(epoch, number, answers, tuple(found))


def parse_answered(raw: bytes) -> int:
    """Returns the number of the report that these grants answer. Raises `LeaseMessageInvalid`."""
    return _head_of_grants(raw)[-1]


def _head_of_grants(raw: bytes) -> tuple[int, int, int, int]:
    """Returns where the lines begin, then the three counts."""
    start = raw.find(b"[", 1)
    if start < 0 or not raw.endswith(b"]]"):
        raise LeaseMessageInvalid("of another version or shape")
    _, epoch, number, answers, _ = _parts(raw[:start] + b"[]]", (_VERSION,))
    return start, epoch, number, answers


def _pieces(lines: bytes) -> Iterator[bytes]:
    """Splits the comma-separated *lines* into pieces. No line contains another list."""
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
    has_pass_rate = isinstance(line, list) and len(line) == len(_WITH_PASS_RATE)
    return _WITH_PASS_RATE if has_pass_rate else _GRANT_LINE


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
    """
    Checks one column at a time, at a fifth of the cost of `_checked` for each line: a worker reports a thousand lines a
    second.
    """
    if not set(map(type, lines)) <= {list} or not set(map(len, lines)) <= {len(kinds)}:
        raise LeaseMessageInvalid("a line of another length")
    for column, kind in zip(zip(*lines, strict=True), kinds, strict=False):
        if set(map(type, column)) != {kind}:
            raise LeaseMessageInvalid(f"{column[:3]!r} … are of other kinds")
        if kind is int and not (min(column) >= 0 and max(column) < _MAX_NUMBER):
            raise LeaseMessageInvalid(f"{column[:3]!r} … are no counts of this protocol")


def _checked(values: Any, kinds: tuple[type, ...]) -> list[Any]:
    if not isinstance(values, list) or len(values) != len(kinds):
        raise LeaseMessageInvalid("a line of another length")
    if tuple(map(type, values)) != kinds:
        raise LeaseMessageInvalid(f"{values!r} is of other kinds")
    for value, kind in zip(values, kinds, strict=True):
        if kind is int and not 0 <= value < _MAX_NUMBER:
            raise LeaseMessageInvalid(f"{value!r} is no count of this protocol")
    return values


def run_to_end(steps: Generator[None, None, T]) -> T:
    """Runs *steps* to their end without a pause, and returns their result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: T = end.value
            return found
