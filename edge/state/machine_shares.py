"""
Divides each rate limit among the edge machines of an environment: the arithmetic, without Redis.

All machines change one table in turn. Each replaces its demand there and takes a share, which follows the demand as
between the workers of a machine (`edge.state.quota_allocator`). A share grows only by what the others have returned, so
that the shares of a bucket never exceed `MACHINE_SLACK` together, whenever and in whatever order machines exchange.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, final

import orjson

from edge.state.quota_allocator import RESERVED_PART, shares_of
from edge.state.rate_limit import MACHINE_SLACK, Bucket

HOLD_MS = 5_000
"""A machine keeps its shares this long without an exchange, then has its equal share. The table assumes the same."""
MEMBER_MS = 3 * HOLD_MS
"""A machine that exchanged nothing for this long does not count any more."""
MAX_SHARED_BUCKETS = 256
"""Buckets of an environment whose shares follow the demand; machines have equal shares of the others."""
MIN_DEMAND = 0.5
"""Calls a second below which a bucket needs no entry."""
_EQUAL_PART = 0.01
"""A share this close to the equal one, as a part of it, counts as equal."""


class TableInvalid(ValueError):
    """Bytes that are no table."""


@final
@dataclass(slots=True)
class Holding:
    """What one machine reported of a bucket, in calls a second, and the share of the limit that it holds."""

    demand: float
    share: float


@final
@dataclass(slots=True)
class LimitTable:
    """``seen_ms``: machine to the time of its last exchange. ``holdings``: by bucket, then machine."""

    seen_ms: dict[str, int] = field(default_factory=dict)
    holdings: dict[Bucket, dict[str, Holding]] = field(default_factory=dict)

    @property
    def equal(self) -> float:
        """A machine's share of each bucket that has no entry."""
        machines = len(self.seen_ms)
        return MACHINE_SLACK / machines if machines > 1 else 1.0

    def exchange(
        self, machine: str, demand: Mapping[Bucket, float], now_ms: int
    ) -> dict[Bucket, float]:
        """
        Takes in the *demand* of *machine*, in calls a second; buckets that are missing have none.

        Returns the machine's shares of all buckets with an entry. It uses its equal share of the others.
        """
        self._drop_absent(now_ms)
        self.seen_ms[machine] = now_ms
        if len(self.seen_ms) == 1:
            self.holdings.clear()
            return {}
        self._add_entries(demand)
        shares = {}
        for bucket, holdings in list(self.holdings.items()):
            mine = holdings.setdefault(machine, Holding(0.0, self.equal))
            mine.demand = demand.get(bucket, 0.0)
            mine.share = self._share_of(machine, holdings, now_ms)
            if self._is_over(holdings):
                del self.holdings[bucket]
            else:
                shares[bucket] = mine.share
        return shares

    def _share_of(self, machine: str, holdings: Mapping[str, Holding], now_ms: int) -> float:
        machines = list(self.seen_ms)
        silent = {
            number for number, one in enumerate(machines) if now_ms - self.seen_ms[one] > HOLD_MS
        }
        nothing = Holding(0.0, self.equal)
        held = [holdings.get(one, nothing) for one in machines]
        wanted = shares_of([one.demand for one in held], silent, whole=MACHINE_SLACK)
        own = machines.index(machine)
        taken = sum(
            self.equal if number in silent else one.share
            for number, one in enumerate(held)
            if number != own
        )
        return max(min(wanted[own], MACHINE_SLACK - taken), self.equal * RESERVED_PART)

    def _is_over(self, holdings: Mapping[str, Holding]) -> bool:
        """Whether nobody has demand, and every machine that is here is back at its equal share."""
        close = self.equal * _EQUAL_PART
        return all(
            one.demand < MIN_DEMAND and abs(one.share - self.equal) <= close
            for one in holdings.values()
        )

    def _add_entries(self, demand: Mapping[Bucket, float]) -> None:
        """Adds the buckets with the largest demand as long as there is room."""
        new = [bucket for bucket in demand if bucket not in self.holdings]
        room = max(MAX_SHARED_BUCKETS - len(self.holdings), 0)
        for bucket in sorted(new, key=demand.__getitem__, reverse=True)[:room]:
            if demand[bucket] >= MIN_DEMAND:
                self.holdings[bucket] = {}

    def _drop_absent(self, now_ms: int) -> None:
        """Drops machines that are gone, and those of a time that has not come: the server's clock was set back."""
        gone = [one for one, seen_ms in self.seen_ms.items() if abs(now_ms - seen_ms) > MEMBER_MS]
        for machine in gone:
            del self.seen_ms[machine]
            for holdings in self.holdings.values():
                holdings.pop(machine, None)

    def encode(self) -> bytes:
        rows = [
            (bucket, [(machine, one.demand, one.share) for machine, one in holdings.items()])
            for bucket, holdings in self.holdings.items()
        ]
        return orjson.dumps((self.seen_ms, rows))


def parse_table(raw: bytes) -> LimitTable:
    """Returns an empty table for no bytes. Raises `TableInvalid`."""
    if not raw:
        return LimitTable()
    try:
        seen_ms, rows = orjson.loads(raw)
        return LimitTable(
            {str(machine): int(at_ms) for machine, at_ms in seen_ms.items()},
            {tuple(map(str, bucket)): dict(_holdings_of(held)) for bucket, held in rows},
        )
    except (AttributeError, TypeError, ValueError) as error:
        raise TableInvalid(str(error)) from error


def _holdings_of(rows: Iterable[Any]) -> Iterator[tuple[str, Holding]]:
    for machine, demand, share in rows:
        yield str(machine), Holding(float(demand), float(share))
