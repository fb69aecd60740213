"""The part of a budget that is not free: charged, leased, or committed and not charged yet. Pure."""

from common.pacing.holds import HeldCommits
from common.pacing.lease import in_flight_micros, used_micros
from common.tracking.token import DAY_MS
from control.delivery.leasing.budget_limits import BudgetFigures, BudgetLimit
from control.delivery.leasing.in_flight import InFlightCommits

TOTAL, GOAL = "", "goal"


class Usage:
    """*settle_ms*: how long after a serve its events may arrive."""

    def __init__(self, commits: InFlightCommits, holds: HeldCommits, *, settle_ms: int) -> None:
        self._commits = commits
        self._holds = holds
        self._settle_ms = settle_ms

    def of(
        self, campaign_id: str, figures: BudgetFigures, available_micros: int, now_ms: int
    ) -> list[tuple[str, BudgetLimit, int]]:
        """
        Returns name (`TOTAL`, `GOAL` or the day), limit and used micros of each limit.

        *available_micros*: what is left in all leases.
        """
        since_ms = self._since_ms(figures, now_ms)
        held_micros = self._held_micros(campaign_id, figures, since_ms)
        left_micros = available_micros + held_micros
        found = []
        if figures.total is not None:
            used = self._used_of(campaign_id, figures.total, left_micros, since_ms)
            found.append((TOTAL, figures.total, used))
        if figures.goal is not None:
            used = self._used_of(campaign_id, figures.goal, left_micros, since_ms)
            found.append((GOAL, figures.goal, used))
        if figures.daily is not None:
            from_ms = max(since_ms, figures.day_start_ms)
            if held_micros:
                held_micros = self._held_micros(campaign_id, figures, since_ms, figures.day)
            left_micros = available_micros + held_micros
            used = self._used_of(campaign_id, figures.daily, left_micros, from_ms)
            found.append((figures.day, figures.daily, used))
        return found

    def in_flight_micros(self, campaign_id: str, figures: BudgetFigures | None, now_ms: int) -> int:
        """
        *figures*: None where the campaign has no figures any more. Then holds are not counted: a budget that may not be
        spent reserves nothing.
        """
        since_ms = self._since_ms(figures, now_ms)
        limit = None if figures is None else figures.total or figures.daily or figures.goal
        held = 0 if figures is None else self._held_micros(campaign_id, figures, since_ms)
        return held + in_flight_micros(
            committed_micros=self._commits.since(campaign_id, since_ms),
            charged_micros=0 if limit is None else limit.young_micros,
        )

    def _held_micros(
        self, campaign_id: str, figures: BudgetFigures, since_ms: int, day: str | None = None
    ) -> int:
        """Returns what mails hold: all of them, or those that were prepared on *day*."""
        first_day = since_ms // DAY_MS
        charged = figures.held_charges
        return self._holds.held_micros(campaign_id, charged, first_day=first_day, day=day)

    def _used_of(
        self, campaign_id: str, limit: BudgetLimit, available_micros: int, from_ms: int
    ) -> int:
        """*available_micros*: left in all leases, and held."""
        in_flight = in_flight_micros(
            committed_micros=self._commits.since(campaign_id, from_ms),
            charged_micros=limit.young_micros,
        )
        return used_micros(
            charged_micros=limit.charged_micros,
            available_micros=available_micros,
            in_flight_micros=in_flight,
        )

    def _since_ms(self, figures: BudgetFigures | None, now_ms: int) -> int:
        """Returns since when commits count as in flight; the figures' young charges begin at the same instant."""
        young_from_ms = 0 if figures is None else figures.young_from_ms
        return young_from_ms or now_ms - self._settle_ms
