"""
Which worker of a machine grants how much of a limit: the supervisor's side of borrowing.

Workers say a few times a second what is asked of them by callers that come near their equal share; the shares
follow that demand. A worker that is not asked keeps a little, so that a caller's next connection finds something there.
"""

from collections.abc import Collection, Mapping, Sequence

import orjson

from edge.state.rate_limit import SLACK, Bucket

BEAT_S = 0.1
"""How often workers say what is asked of them."""
_KEPT_PART = 0.06
"""Of a limit, what all workers keep between them however little is asked of them."""
_MEMORY = 0.5
"""Of a demand, what is remembered a beat later: single beats of slow callers say little."""
_FORGOTTEN = 0.5
"""Calls a beat under which nobody needs another share than the equal one."""
_SILENT_BEATS = 3
"""After so many without a word a worker is taken to grant its equal share, and nobody is lent of that."""

Demand = Mapping[Bucket, float]


class SharesInvalid(ValueError):
    """Bytes that are neither demands nor shares."""


class SharePool:
    """What was asked of *workers* lately, by bucket; `turn` once a beat."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._silent = [_SILENT_BEATS] * workers
        self._told: dict[Bucket, list[float]] = {}
        self._asked: dict[Bucket, list[float]] = {}

    def tell(self, worker: int, demand: Demand) -> None:
        """What was asked of one worker since it last said so; nothing is a word too."""
        self._silent[worker] = 0
        for bucket, calls in demand.items():
            self._told.setdefault(bucket, [0.0] * self._workers)[worker] += calls

    def turn(self) -> list[list[tuple[Bucket, float]]]:
        """For each worker, its share of every bucket that somebody needs more of."""
        told, self._told = self._told, {}
        silent = frozenset(n for n, beats in enumerate(self._silent) if beats >= _SILENT_BEATS)
        self._silent = [beats + 1 for beats in self._silent]
        nothing = [0.0] * self._workers
        found: list[list[tuple[Bucket, float]]] = [[] for _ in range(self._workers)]
        asked: dict[Bucket, list[float]] = {}
        for bucket in self._asked | told:
            before, now = self._asked.get(bucket, nothing), told.get(bucket, nothing)
            lately = [old * _MEMORY + new for old, new in zip(before, now, strict=True)]
            if sum(lately) < _FORGOTTEN:
                continue
            asked[bucket] = lately
            for worker, share in enumerate(shares_of(lately, silent)):
                found[worker].append((bucket, share))
        self._asked = asked
        return found


def shares_of(asked: Sequence[float], silent: Collection[int] = ()) -> list[float]:
    """
    Of one limit, by worker: in proportion to what was asked of each, never quite nothing. Their sum is `SLACK`.

    *silent* workers have their equal share, of which they know without being told.
    """
    equal = SLACK / len(asked)
    whole = sum(calls for worker, calls in enumerate(asked) if worker not in silent)
    if whole == 0:
        return [equal] * len(asked)
    kept = equal * _KEPT_PART
    open_part = (equal - kept) * (len(asked) - len(silent))
    return [
        equal if worker in silent else kept + open_part * calls / whole
        for worker, calls in enumerate(asked)
    ]


def encode_amounts(amounts: Sequence[tuple[Bucket, float]]) -> bytes:
    """Demands (calls) to the supervisor, or shares to a worker."""
    return orjson.dumps(amounts)


def parse_amounts(raw: bytes) -> list[tuple[Bucket, float]]:
    """Raises `SharesInvalid`."""
    try:
        return [(tuple(map(str, bucket)), float(amount)) for bucket, amount in orjson.loads(raw)]
    except (TypeError, ValueError) as error:
        raise SharesInvalid(str(error)) from error
