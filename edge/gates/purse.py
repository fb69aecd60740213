"""One campaign's budget as one worker may spend it: what is open now, and what it committed lately."""

from collections import deque
from dataclasses import dataclass, field

from common.pacing.day import LocalDay, local_day
from common.pacing.open_budget import (
    daily_left_micros,
    share_micros,
    total_left_micros,
    unit_micros,
)
from common.snapshot.model import Budget, Campaign, Pace


@dataclass(slots=True)
class Commits:
    """What was committed from ``at_ms`` on, within one step of time and one local day."""

    at_ms: int
    day: str
    micros: int


@dataclass(frozen=True, slots=True)
class Terms:
    """``shares``: how many workers share every budget. ``settle_ms``: how long a commit counts as on its way."""

    shares: int
    settle_ms: int

    @property
    def step_ms(self) -> int:
        """Commits of so long a time are kept as one: a twelfth of settling more or less does not matter."""
        return max(1, self.settle_ms // 12)


@dataclass(slots=True)
class Purse:
    """``open_micros`` holds until ``valid_until_ms``, and as long as campaign and pace are these very objects."""

    campaign: Campaign
    budget: Budget
    pace: Pace | None
    open_micros: int = 0
    valid_until_ms: int = 0
    commits: deque[Commits] = field(default_factory=deque)

    def renew(self, terms: Terms, now_ms: int) -> None:
        """Works out ``open_micros`` anew: what is left, shared out, less what is on its way."""
        today = local_day(self.campaign.timezone, now_ms)
        self._forget(terms, now_ms)
        unit = unit_micros(self.campaign)
        lefts = (
            (total_left_micros(self.budget, self.pace), self.in_flight_micros),
            (daily_left_micros(self.budget, self.pace, today.name), self._today_micros(today)),
        )
        self.open_micros = min(
            share_micros(left, shares=terms.shares, unit_micros=unit) - in_flight
            for left, in_flight in lefts
            if left is not None
        )
        self.valid_until_ms = min(today.end_ms, self._next_forgotten_ms(terms, now_ms))

    def commit(self, micros: int, terms: Terms, now_ms: int) -> None:
        day = local_day(self.campaign.timezone, now_ms).name
        last = self.commits[-1] if self.commits else None
        if last is None or last.day != day or now_ms >= last.at_ms + terms.step_ms:
            self.commits.append(Commits(now_ms, day, micros))
            self.valid_until_ms = min(self.valid_until_ms, self._next_forgotten_ms(terms, now_ms))
        else:
            last.micros += micros
        self.open_micros -= micros

    @property
    def in_flight_micros(self) -> int:
        return sum(commits.micros for commits in self.commits)

    def _today_micros(self, today: LocalDay) -> int:
        return sum(commits.micros for commits in self.commits if commits.day == today.name)

    def _forget(self, terms: Terms, now_ms: int) -> None:
        while self.commits and self._forgotten_ms(self.commits[0], terms) <= now_ms:
            self.commits.popleft()

    def _next_forgotten_ms(self, terms: Terms, now_ms: int) -> int:
        if not self.commits:
            return now_ms + terms.settle_ms
        return self._forgotten_ms(self.commits[0], terms)

    def _forgotten_ms(self, commits: Commits, terms: Terms) -> int:
        """All of them are older than the settling time by then."""
        return commits.at_ms + terms.step_ms + terms.settle_ms
