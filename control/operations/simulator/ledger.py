"""The ledger of a simulation: charges in total, by day and by minute of serve, clipped at budgets."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from common.budget.local_day import local_day
from common.snapshot.model import Budget, Campaign
from control.delivery.leasing.in_flight import STEP_MS

_NONE = Budget(None, None)


@dataclass(frozen=True, slots=True)
class Event:
    """A billable event that arrives at ``at_ms``, from a serve at ``served_ms``."""

    at_ms: int
    served_ms: int
    campaign: Campaign
    micros: int


class Account:
    """One campaign's charges."""

    __slots__ = ("by_day", "by_minute", "charged_micros", "clipped_micros", "delivered", "events")

    def __init__(self) -> None:
        self.events = 0
        self.delivered = 0
        """Micros of everything delivered, charged or not."""
        self.charged_micros = 0
        self.clipped_micros = 0
        self.by_day: dict[str, int] = defaultdict(int)
        self.by_minute: deque[tuple[int, int]] = deque()
        """Minute of the serve and micros, in the order of charging."""

    def charge(self, event: Event) -> int:
        """Micros charged: what the budget leaves room for, in total and on the day of the serve."""
        budget = event.campaign.budget or _NONE
        day = local_day(event.campaign.timezone, event.served_ms).name
        room = event.micros
        if budget.total_micros is not None:
            room = min(room, budget.total_micros - self.charged_micros)
        if budget.daily_micros is not None:
            room = min(room, budget.daily_micros - self.by_day[day])
        charged = max(0, room)
        self.events += 1
        self.delivered += event.micros
        self.charged_micros += charged
        self.clipped_micros += event.micros - charged
        self.by_day[day] += charged
        self.by_minute.append((event.served_ms // STEP_MS, charged))
        return charged

    def young_micros(self, since_ms: int) -> int:
        """Charged for serves from that minute on."""
        first = since_ms // STEP_MS
        return sum(micros for minute, micros in self.by_minute if minute >= first)

    def drop_before(self, before_ms: int) -> None:
        """Drops minutes that have settled."""
        first = before_ms // STEP_MS
        while self.by_minute and self.by_minute[0][0] < first:
            self.by_minute.popleft()


class Ledger:
    """*settle_ms*: how long after a serve its events may arrive. *step_ms*: how often the ledger is written."""

    def __init__(self, settle_ms: int, step_ms: int) -> None:
        self.accounts: dict[str, Account] = defaultdict(Account)
        self._settle_ms = settle_ms
        self._step_ms = step_ms
        self._coming: dict[int, list[Event]] = defaultdict(list)

    def expect(self, event: Event) -> None:
        self._coming[event.at_ms // self._step_ms].append(event)

    def settle(self, until_ms: int) -> Iterator[tuple[Event, int]]:
        """Events that arrived in the steps before *until_ms*, in order of time, with the micros charged for each."""
        for step in sorted(step for step in self._coming if step < until_ms // self._step_ms):
            yield from self._settle_step(self._coming.pop(step))

    def young_micros(self, campaign: Campaign, now_ms: int, since_ms: int = 0) -> int:
        """Charged for serves from *since_ms* on whose events may still arrive."""
        account = self.accounts[campaign.id]
        young_ms = now_ms - self._settle_ms
        account.drop_before(young_ms)
        return account.young_micros(max(young_ms, since_ms))

    def _settle_step(self, events: Iterable[Event]) -> Iterator[tuple[Event, int]]:
        for event in sorted(events, key=_instant):
            yield event, self.accounts[event.campaign.id].charge(event)


def _instant(event: Event) -> int:
    return event.at_ms
