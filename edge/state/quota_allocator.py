"""
Divides each rate limit among the workers of a machine: the supervisor's side of borrowing.

A few times a second, workers report the demand of clients that come near the worker's equal share. Shares follow that
demand. A worker without demand keeps a little, so that a client's next connection finds some quota there.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import orjson

from edge.state.rate_limit import SLACK, Bucket

BEAT_S = 0.1
"""How often workers report their demand."""
RESTING_BEAT_S = 0.5
"""The same after `_RESTING_BEATS` without any demand: the equal shares and the burst last longer than that."""
_RESTING_BEATS = 20
RESERVED_PART = 0.06
"""Part of a limit that all workers together keep, however little their demand."""
_CARRIED_OVER = 0.5
"""Part of a demand that carries over to the next beat. Single beats of slow clients mean little."""
_MIN_DEMAND = 0.5
"""Calls a beat below which every worker keeps the equal share."""
_SILENT_BEATS = 3
"""After so many beats without a report, a worker is assumed to use its equal share, and none of that is lent."""

Demand = Mapping[Bucket, float]


class SharesInvalid(ValueError):
    """Bytes that are neither demands nor shares."""


class SharePool:
    """Recent demand of *workers*, by bucket. Call `allocate` once a beat."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._silent = [_SILENT_BEATS] * workers
        self._reported: dict[Bucket, list[float]] = {}
        self._demand: dict[Bucket, list[float]] = {}
        self._beats_without = 0

    @property
    def beat_s(self) -> float:
        """The pause before the next beat."""
        return RESTING_BEAT_S if self._beats_without >= _RESTING_BEATS else BEAT_S

    @property
    def workers(self) -> int:
        return self._workers

    def report(self, worker: int, demand: Demand) -> None:
        """Adds the demand of one worker since its last report. An empty report counts as a report, too."""
        self._silent[worker] = 0
        for bucket, calls in demand.items():
            self._reported.setdefault(bucket, [0.0] * self._workers)[worker] += calls

    def allocate(self) -> list[list[tuple[Bucket, float]]]:
        """For each worker, its share of every bucket with enough demand."""
        reported, self._reported = self._reported, {}
        self._beats_without = 0 if reported else self._beats_without + 1
        silent = frozenset(n for n, beats in enumerate(self._silent) if beats >= _SILENT_BEATS)
        self._silent = [beats + 1 for beats in self._silent]
        nothing = [0.0] * self._workers
        found: list[list[tuple[Bucket, float]]] = [[] for _ in range(self._workers)]
        demand: dict[Bucket, list[float]] = {}
        for bucket in self._demand | reported:
            before, now = self._demand.get(bucket, nothing), reported.get(bucket, nothing)
            lately = [old * _CARRIED_OVER + new for old, new in zip(before, now, strict=True)]
            if sum(lately) < _MIN_DEMAND:
                continue
            demand[bucket] = lately
            for worker, share in enumerate(shares_of(lately, silent)):
                found[worker].append((bucket, share))
        self._demand = demand
        return found


def shares_of(
    demand: Sequence[float], silent: Collection[int] = (), *, whole: float = SLACK
) -> list[float]:
    """
    Shares of one limit, by worker: in proportion to the demand of each, never quite zero. Their sum is *whole*.

    *silent* workers have their equal share, which they use without receiving it.
    """
    equal = whole / len(demand)
    calls_of_all = sum(calls for worker, calls in enumerate(demand) if worker not in silent)
    if calls_of_all == 0:
        return [equal] * len(demand)
    kept = equal * RESERVED_PART
    open_part = (equal - kept) * (len(demand) - len(silent))
    return [
        equal if worker in silent else kept + open_part * calls / calls_of_all
        for worker, calls in enumerate(demand)
    ]


def encode_amounts(amounts: Sequence[tuple[Bucket, float]]) -> bytes:
    """Demands (calls), to the supervisor."""
    return orjson.dumps(amounts)


def parse_amounts(raw: bytes) -> list[tuple[Bucket, float]]:
    """Raises `SharesInvalid`."""
    try:
        return _amounts_of(orjson.loads(raw))
    except (TypeError, ValueError) as error:
        raise SharesInvalid(str(error)) from error


def encode_shares(shares: Sequence[tuple[Bucket, float]], machines: int) -> bytes:
    """Shares, to a worker, and the number of machines that divide each limit."""
    return orjson.dumps((machines, shares))


def parse_shares(raw: bytes) -> tuple[list[tuple[Bucket, float]], int]:
    """
    Shares, and the number of machines. A supervisor of an earlier release, whose workers were replaced, sends the
    shares alone. Raises `SharesInvalid`.
    """
    try:
        decoded = orjson.loads(raw)
        machines, shares = decoded if decoded and isinstance(decoded[0], int) else (1, decoded)
        if machines < 1:
            raise SharesInvalid(f"{machines} machines")
        return _amounts_of(shares), machines
    except (KeyError, TypeError, ValueError) as error:
        raise SharesInvalid(str(error)) from error


def _amounts_of(decoded: Any) -> list[tuple[Bucket, float]]:
    return [(tuple(map(str, bucket)), float(amount)) for bucket, amount in decoded]
