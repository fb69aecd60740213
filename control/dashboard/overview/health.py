"""The health of the data behind the figures: whether edges have the newest change, and whether events arrive."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from control.dashboard.page_request import PageRequest
from control.delivery.edge_status import operations as edges

_SLOW = timedelta(seconds=60)
"""Events arrive within seconds; a delay of a minute is shown."""
_FIRST_VERSION = 0


@dataclass(frozen=True, slots=True)
class Health:
    """
    ``workers``: seen in the last minute; ``pending``: those of them that lack the newest change.

    ``lag_s``: every event older than that is in the figures; None: no event arrived yet. ``each``: for operators, the
    single workers.
    """

    workers: int
    pending: int
    version: int
    lag_s: float | None = None
    each: Sequence[Mapping[str, Any]] = field(default_factory=tuple)

    @property
    def is_slow(self) -> bool:
        return self.lag_s is not None and self.lag_s > _SLOW.total_seconds()

    def with_events(self, now: datetime, complete_through: str | None) -> "Health":
        """*complete_through*: of a report, which is read at the same time."""
        return replace(self, lag_s=_lag_s(now, complete_through))


async def read_health(view: PageRequest) -> Health:
    """The health of the edges, without that of events."""
    head = await _propagation(view, _FIRST_VERSION)
    now = await _propagation(view, head["head"])
    may_see_each = view.can(edges.LIST.id)
    each = await view.call(edges.LIST, query={"limit": 20}) if may_see_each else {"data": ()}
    return Health(
        workers=now["workers"],
        pending=len(now["pending"]),
        version=now["head"],
        each=each["data"],
    )


async def _propagation(view: PageRequest, version: int) -> Mapping[str, Any]:
    found: Mapping[str, Any] = await view.call(edges.PROPAGATION_OF, path={"version": str(version)})
    return found


def _lag_s(now: datetime, through: str | None) -> float | None:
    if through is None:
        return None
    return max(0.0, (now - datetime.fromisoformat(through)).total_seconds())
