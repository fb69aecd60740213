"""A worker's budgets: closed when spent, re-based without granting twice, and never beyond the stated bound."""

from dataclasses import dataclass, field, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from common.pacing.day import local_day
from common.snapshot.model import Budget, Campaign, Pace
from common.snapshot.snapshot import Snapshot
from common.vocabulary import PricingModel
from edge.gates.budgets import LocalBudgets
from tests.support.builders import NOW_MS, a_campaign, a_snapshot

DAY_MS = 86_400_000
PRICE = 1_000
TODAY = local_day("UTC", NOW_MS).name


def a_spender(**budget: int | None) -> Campaign:
    """A CPM campaign whose impressions cost `PRICE` micros."""
    bounds: dict[str, int | None] = {"total_micros": None, "daily_micros": None}
    return a_campaign(bid_cents=100, budget=Budget(**bounds | budget))


def told(campaign: Campaign, **pace: int | str) -> Snapshot:
    objects = (campaign, Pace(campaign.id, **pace)) if pace else (campaign,)  # type: ignore[arg-type]  # names are fields
    return a_snapshot(*objects)


def served(budgets: LocalBudgets, snapshot: Snapshot, campaign: Campaign, now_ms: int) -> bool:
    """Serves one impression where the budget is open for it."""
    if budgets.open_micros(snapshot, now_ms).get(campaign.id, 0) < PRICE:
        return False
    budgets.commit(snapshot, campaign, PRICE, now_ms)
    return True


def test_a_budget_nobody_spent_of_is_open_whole() -> None:
    campaign = a_spender(total_micros=5 * PRICE)
    assert LocalBudgets().open_micros(told(campaign), NOW_MS).get(campaign.id, 0) == 5 * PRICE


def test_it_closes_when_all_of_it_is_committed() -> None:
    campaign = a_spender(total_micros=3 * PRICE)
    budgets, snapshot = LocalBudgets(), told(campaign)
    assert [served(budgets, snapshot, campaign, NOW_MS) for _ in range(5)] == [
        *[True] * 3,
        *[False] * 2,
    ]


def test_every_worker_has_its_share_rounded_up_to_an_event() -> None:
    campaign = a_spender(total_micros=5 * PRICE)
    budgets = LocalBudgets(shares=2)
    assert budgets.open_micros(told(campaign), NOW_MS).get(campaign.id, 0) == 3 * PRICE


def test_a_new_pace_does_not_grant_again_what_is_on_its_way() -> None:
    campaign = a_spender(total_micros=4 * PRICE)
    budgets = LocalBudgets()
    for _ in range(3):
        assert served(budgets, told(campaign), campaign, NOW_MS)
    later = told(campaign, spent_micros=PRICE)
    assert budgets.open_micros(later, NOW_MS + 1000).get(campaign.id, 0) == 0


def test_what_never_came_back_is_open_again_after_the_settling_time() -> None:
    campaign = a_spender(total_micros=PRICE)
    budgets, snapshot = LocalBudgets(settle_s=60), told(campaign)
    assert served(budgets, snapshot, campaign, NOW_MS)
    assert not served(budgets, snapshot, campaign, NOW_MS + 59_999)
    assert served(budgets, snapshot, campaign, NOW_MS + 65_000)


def test_the_tighter_of_the_two_bounds_holds() -> None:
    campaign = a_spender(total_micros=100 * PRICE, daily_micros=2 * PRICE)
    budgets = LocalBudgets()
    snapshot = told(campaign, spent_micros=10 * PRICE, spent_today_micros=PRICE, day=TODAY)
    assert budgets.open_micros(snapshot, NOW_MS).get(campaign.id, 0) == PRICE


def test_midnight_of_the_campaigns_zone_opens_the_day_again() -> None:
    campaign = replace(a_spender(daily_micros=PRICE), timezone="America/Sao_Paulo")
    day = local_day(campaign.timezone, NOW_MS)
    budgets, snapshot = LocalBudgets(), told(campaign, spent_today_micros=0, day=day.name)
    last, first = day.end_ms - 1, day.end_ms
    assert served(budgets, snapshot, campaign, last)
    assert not served(budgets, snapshot, campaign, last)
    assert served(budgets, snapshot, campaign, first)


def test_a_click_campaign_commits_what_a_fill_is_expected_to_cost() -> None:
    campaign = a_campaign(
        pricing_model=PricingModel.CPC, bid_cents=50, budget=Budget(500_000, None)
    )
    budgets, snapshot = LocalBudgets(), a_snapshot(campaign)
    budgets.commit(snapshot, campaign, 500, NOW_MS)
    assert budgets.open_micros(snapshot, NOW_MS).get(campaign.id, 0) == 499_500


def test_a_flat_rate_and_a_campaign_without_a_budget_are_not_kept() -> None:
    flat = a_campaign(pricing_model=PricingModel.FLAT_RATE, budget=Budget(10, None))
    free = a_campaign()
    budgets, snapshot = LocalBudgets(), a_snapshot(flat, free)
    for campaign in (flat, free):
        budgets.commit(snapshot, campaign, 5, NOW_MS)
    assert budgets.in_flight_micros == 0


def test_what_is_on_its_way_and_the_bound_are_told() -> None:
    campaign = a_spender(total_micros=9 * PRICE)
    budgets, snapshot = LocalBudgets(), told(campaign)
    served(budgets, snapshot, campaign, NOW_MS)
    assert (budgets.in_flight_micros, budgets.over_delivery_micros) == (PRICE, PRICE)


LIFE_MS, LAG_MS = 20_000, 10_000
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["serve", "serve", "serve", "redeem", "wait"]),
        st.integers(0, 5),
        st.integers(0, LAG_MS),
    ),
    max_size=120,
)


@dataclass
class World:
    """Workers that serve, readers that redeem within the tokens' life, and a ledger whose news come late."""

    campaign: Campaign
    workers: list[LocalBudgets]
    seen: list[Pace]
    now_ms: int = NOW_MS
    served_at: list[int] = field(default_factory=list)
    delivered: int = 0
    by_day: dict[str, int] = field(default_factory=dict)
    ledger: list[tuple[int, Pace]] = field(default_factory=list)

    def serve(self, number: int, lag_ms: int) -> None:
        place = number % len(self.workers)
        self._hear(place, lag_ms)
        snapshot = a_snapshot(self.campaign, self.seen[place])
        if served(self.workers[place], snapshot, self.campaign, self.now_ms):
            self.served_at.append(self.now_ms)

    def redeem(self, number: int) -> None:
        self.served_at = [at for at in self.served_at if at + LIFE_MS >= self.now_ms]
        if not self.served_at:
            return
        self.served_at.pop(number % len(self.served_at))
        self.delivered += 1
        day = local_day("UTC", self.now_ms).name
        self.by_day[day] = self.by_day.get(day, 0) + 1
        budget = self.campaign.budget
        assert budget is not None
        spent = min(self.delivered * PRICE, budget.total_micros or 0)
        pace = Pace(self.campaign.id, spent, self.by_day[day] * PRICE, day)
        self.ledger.append((self.now_ms, pace))

    def _hear(self, place: int, lag_ms: int) -> None:
        for at_ms, pace in self.ledger:
            newer = pace.spent_micros >= self.seen[place].spent_micros
            if at_ms <= self.now_ms - lag_ms and newer:
                self.seen[place] = pace


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 6), st.sampled_from([1, 2, 7, 40]), STEPS)
def test_many_workers_with_late_news_deliver_no_more_than_the_bound(
    workers: int, units: int, steps: list[tuple[str, int, int]]
) -> None:
    campaign = a_spender(total_micros=units * PRICE)
    settle_s = (LIFE_MS + LAG_MS) / 1000
    crew = [LocalBudgets(shares=workers, settle_s=settle_s) for _ in range(workers)]
    world = World(campaign, crew, [Pace(campaign.id)] * workers)
    for act, number, lag_ms in steps:
        match act:
            case "serve":
                world.serve(number, lag_ms)
            case "redeem":
                world.redeem(number)
            case _:
                world.now_ms += number * 4_000
    assert world.delivered <= units + workers
    assert world.delivered * PRICE <= units * PRICE + sum(
        w.over_delivery_micros or PRICE for w in crew
    )
