"""The part of a budget that is not free: charged, leased, or committed so recently that events may still come. Pure."""

from common.pacing.lease import in_flight_micros, used_micros
from control.delivery.leasing.budget_limits import BudgetFigures, BudgetLimit
from control.delivery.leasing.in_flight import InFlightCommits

TOTAL, GOAL = "", "goal"


class Usage:
    """*settle_ms*: how long after a serve its events may arrive."""

    def __init__(self, commits: InFlightCommits, *, settle_ms: int) -> None:
        self._commits = commits
        self._settle_ms = settle_ms

    def of(
        self, campaign_id: str, figures: BudgetFigures, available_micros: int, now_ms: int
    ) -> list[tuple[str, BudgetLimit, int]]:
        """
        Returns name (`TOTAL`, `GOAL` or the day), bound and used micros of each bound.

        *available_micros*: what is left in all leases.
        """
        since_ms = self._since_ms(figures, now_ms)
        found = []
        if figures.total is not None:
            used = self._used_of(campaign_id, figures.total, available_micros, since_ms)
            found.append((TOTAL, figures.total, used))
        if figures.goal is not None:
            used = self._used_of(campaign_id, figures.goal, available_micros, since_ms)
            found.append((GOAL, figures.goal, used))
        if figures.daily is not None:
            from_ms = max(since_ms, figures.day_start_ms)
            used = self._used_of(campaign_id, figures.daily, available_micros, from_ms)
            found.append((figures.day, figures.daily, used))
        return found

    def in_flight_micros(self, campaign_id: str, figures: BudgetFigures | None, now_ms: int) -> int:
        """*figures*: None where the campaign has no figures any more."""
        bound = None if figures is None else figures.total or figures.daily or figures.goal
        return in_flight_micros(
            committed_micros=self._commits.since(campaign_id, self._since_ms(figures, now_ms)),
            charged_micros=0 if bound is None else bound.young_micros,
        )

    def _used_of(
        self, campaign_id: str, bound: BudgetLimit, available_micros: int, from_ms: int
    ) -> int:
        in_flight = in_flight_micros(
            committed_micros=self._commits.since(campaign_id, from_ms),
            charged_micros=bound.young_micros,
        )
        return used_micros(
            charged_micros=bound.charged_micros,
            available_micros=available_micros,
            in_flight_micros=in_flight,
        )

    def _since_ms(self, figures: BudgetFigures | None, now_ms: int) -> int:
        """Returns since when commits count as in flight; the figures' young charges begin at the same instant."""
        young_from_ms = 0 if figures is None else figures.young_from_ms
        return young_from_ms or now_ms - self._settle_ms
