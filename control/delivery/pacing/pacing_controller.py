"""Plans and pass rates of the requested campaigns: how much may be granted by now. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from common.pacing.controller import WHOLE, PassRateController
from common.pacing.lease import HORIZON_MS, LeaseRequest
from common.pacing.plan import Plan, Terms
from control.delivery.leasing.budget_limits import BudgetLimit


@dataclass(slots=True)
class PlannedLimit:
    """
    Terms of one budget or goal, and its used part: charged, in flight and leased. ``name`` is as in
    `control.delivery.pacing.usage`.
    """

    name: str
    terms: Terms
    used_micros: int


def planned_in(used: Iterable[tuple[str, BudgetLimit, int]]) -> list[PlannedLimit]:
    """Returns the limits with a plan. *used*: name, limit and used micros of each."""
    return [
        PlannedLimit(name, limit.terms, micros)
        for name, limit, micros in used
        if limit.terms is not None
    ]


_NO_PLANS: Mapping[str, Plan] = {}


class PacingController:
    def __init__(self) -> None:
        self._plans: dict[str, dict[str, Plan]] = {}
        """By campaign and name."""
        self._controllers: dict[str, PassRateController] = {}
        """Controllers of campaigns that skip some chances, or may be about to."""

    def free_micros(
        self,
        campaign_id: str,
        planned: Sequence[PlannedLimit],
        available_micros: int,
        now_ms: int,
    ) -> int:
        """
        Returns the free micros of the tightest of *planned* (at least one), up to the horizon of leases.
        *available_micros*: the leased part of the used micros.
        """
        known = self._plans.get(campaign_id, _NO_PLANS)
        plans, least = {}, None
        for one in planned:
            terms, plan = one.terms, known.get(one.name)
            if plan is None:
                plan = Plan(terms, one.used_micros, now_ms)
            elif plan.terms is not terms:
                plan.renew(terms, now_ms)
            plans[one.name] = plan
            until_ms = now_ms + terms.ahead_ms + HORIZON_MS
            free = plan.free_micros(one.used_micros, until_ms)
            if free > terms.unit_micros and plan.follow(one.used_micros, now_ms, available_micros):
                free = plan.free_micros(one.used_micros, until_ms)
            if least is None or free < least:
                least = free
        self._plans[campaign_id] = plans
        return least or 0

    def steer(
        self,
        campaign_id: str,
        planned: Sequence[PlannedLimit],
        requests: Mapping[str, LeaseRequest],
        available_micros: int,
        now_ms: int,
    ) -> bool:
        """
        Returns True where the campaign's pass rate changed. *available_micros*: the leased part of the used micros.

        A campaign that takes every chance keeps doing so until one of its leases was spent before the next one came.
        """
        is_empty = False
        for want in requests.values():
            if want.starved and want.committed_micros > 0 and want.available_micros <= 0:
                is_empty = True
        controller = self._controllers.get(campaign_id)
        if controller is None:
            if not is_empty:
                return False
            controller = self._controllers[campaign_id] = PassRateController(now_ms)
        committed = sum(want.committed_micros for want in requests.values())
        controller.observe(committed, is_empty=is_empty)
        if not controller.is_due(now_ms):
            return False
        turned = self._step(controller, self._plans[campaign_id], planned, available_micros, now_ms)
        if controller.pass_rate_ppm == WHOLE:
            del self._controllers[campaign_id]
        return turned

    def pass_ppm(self, campaign_id: str) -> int:
        controller = self._controllers.get(campaign_id)
        return WHOLE if controller is None else controller.pass_rate_ppm

    def has_controller(self, campaign_id: str) -> bool:
        return campaign_id in self._controllers

    def remove(self, campaign_id: str) -> bool:
        """Removes the campaign's plan. True where its pass rate was below 1, so that workers need the change."""
        self._plans.pop(campaign_id, None)
        controller = self._controllers.pop(campaign_id, None)
        return controller is not None and controller.pass_rate_ppm != WHOLE

    @staticmethod
    def _step(
        controller: PassRateController,
        plans: Mapping[str, Plan],
        planned: Sequence[PlannedLimit],
        available_micros: int,
        now_ms: int,
    ) -> bool:
        figures = [
            (
                plans[one.name].planned_micros(now_ms + one.terms.ahead_ms + HORIZON_MS),
                plans[one.name].planned_micros(now_ms + one.terms.ahead_ms),
                one.used_micros - available_micros,
            )
            for one in planned
        ]
        return controller.step(
            planned_micros=min(then - now for then, now, _ in figures),
            due_micros=min(then - spent for then, _, spent in figures),
            horizon_ms=HORIZON_MS,
            unit_micros=planned[0].terms.unit_micros,
            now_ms=now_ms,
        )
