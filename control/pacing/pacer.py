"""Plans and coins of the campaigns that were asked for: what may be granted by now, of what there is. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from common.pacing.controller import WHOLE, Coin
from common.pacing.lease import HORIZON_MS, Want
from common.pacing.plan import Plan, Terms


@dataclass(frozen=True, slots=True)
class Planned:
    """
    One budget's terms, and what is used of it: charged, in flight and leased. ``day``: its ISO date where it is a
    day's, else empty.
    """

    day: str
    terms: Terms
    used_micros: int


@dataclass(slots=True)
class _Course:
    coin: Coin
    plans: dict[str, Plan] = field(default_factory=dict)
    """By day; empty for the flight."""


class Pacer:
    def __init__(self) -> None:
        self._courses: dict[str, _Course] = {}

    def free_micros(self, campaign_id: str, planned: tuple[Planned, ...], now_ms: int) -> int:
        """By the tighter one of *planned*, of which there is at least one: up to what leases are for."""
        course = self._courses.get(campaign_id)
        if course is None:
            course = self._courses[campaign_id] = _Course(Coin(now_ms))
        by_ms = now_ms + HORIZON_MS
        frees = []
        plans = {}
        for one in planned:
            plan = self._plan(course, one, now_ms)
            plans[one.day] = plan
            free = plan.free_micros(one.used_micros, by_ms)
            if free > one.terms.unit_micros and plan.follow(one.used_micros, now_ms):
                free = plan.free_micros(one.used_micros, by_ms)
            frees.append(free)
        course.plans = plans
        return min(frees)

    def steer(
        self,
        campaign_id: str,
        planned: tuple[Planned, ...],
        asked: Mapping[str, Want],
        open_micros: int,
        now_ms: int,
    ) -> bool:
        """True where the campaign's coin is another one now. *open_micros*: of what is used, all that is leased."""
        course = self._courses[campaign_id]
        coin = course.coin
        for want in asked.values():
            coin.hear(want.committed_micros, is_empty=want.starved and want.open_micros <= 0)
        if not coin.is_due(now_ms):
            return False
        by_ms = now_ms + HORIZON_MS
        figures = [
            (
                course.plans[one.day].planned_micros(by_ms),
                course.plans[one.day].planned_micros(now_ms),
                one.used_micros - open_micros,
            )
            for one in planned
        ]
        return coin.step(
            planned_micros=min(then - now for then, now, _ in figures),
            due_micros=min(then - spent for then, _, spent in figures),
            horizon_ms=HORIZON_MS,
            unit_micros=planned[0].terms.unit_micros,
            now_ms=now_ms,
        )

    def pass_ppm(self, campaign_id: str) -> int:
        course = self._courses.get(campaign_id)
        return WHOLE if course is None else course.coin.pass_ppm

    def forget(self, campaign_id: str) -> bool:
        """It has no plan any more. True where its coin was not the usual one, so that workers must hear of it."""
        course = self._courses.pop(campaign_id, None)
        return course is not None and course.coin.pass_ppm != WHOLE

    @staticmethod
    def _plan(course: _Course, planned: Planned, now_ms: int) -> Plan:
        plan = course.plans.get(planned.day)
        if plan is None:
            return Plan(planned.terms, planned.used_micros, now_ms)
        plan.renew(planned.terms, now_ms)
        return plan
