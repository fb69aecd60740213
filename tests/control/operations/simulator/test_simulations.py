"""Whole simulations: budgets hold whatever breaks, delivery follows its plan, and chance is the seed's alone."""

import pytest

from control.operations.simulator.results import Outcome
from control.operations.simulator.run import Simulation, simulate
from control.operations.simulator.scenario import read_scenario
from control.operations.simulator.world import make_world


@pytest.fixture(scope="module")
def days() -> Outcome:
    """Two days with a dead night and a flash crowd."""
    return simulate(read_scenario("days"))


@pytest.fixture(scope="module")
def race() -> Outcome:
    """Eight edges after the same budgets; two die, Redis comes back empty, another allocator takes over."""
    return simulate(read_scenario("race"))


def off_plan(outcome: Outcome) -> dict[int, list[int]]:
    """Of campaigns by their number, the hours in which they were too far from their plan."""
    found = enumerate(outcome.results.values(), start=1)
    return {number: hours for number, one in found if (hours := outcome.hours_off_plan(one))}


def test_delivery_follows_its_plan_at_every_hour(days: Outcome) -> None:
    assert off_plan(days) == {}


def test_budgets_are_delivered_where_traffic_allows(days: Outcome) -> None:
    assert min(one.share for one in days.results.values()) >= 0.99
    assert days.delivered_share >= 0.99


@pytest.mark.parametrize("name", ["days", "race"])
def test_nothing_is_billed_or_delivered_beyond_a_budget(
    name: str, request: pytest.FixtureRequest
) -> None:
    outcome: Outcome = request.getfixturevalue(name)

    assert outcome.overspent_micros == 0
    assert [one.over_micros for one in outcome.results.values()] == [0] * len(outcome.results)


def test_edges_that_race_spend_nearly_all_of_budgets_of_any_size(race: Outcome) -> None:
    sizes = {one.budget_micros // one.order.campaign.bid_micros for one in race.results.values()}

    assert sizes == {1, 100, 10_000}
    assert min(one.share for one in race.results.values()) >= 0.98


def test_the_same_seed_gives_the_same_outcome_and_another_one_another() -> None:
    scenario = read_scenario("race").model_copy(update={"hours": 1})

    first, again = (delivered(simulate(scenario)) for _ in range(2))
    other = delivered(simulate(scenario.model_copy(update={"seed": 2})))

    assert first == again
    assert first != other


def test_after_the_last_grant_no_more_is_delivered_than_was_published() -> None:
    simulation = a_race()
    simulation.run_for(12)
    published, before = simulation.outstanding_micros(), simulation.delivered_micros()
    simulation.fleet.mailbox.lose()

    simulation.run_for(120, begin_s=12)

    after = simulation.delivered_micros()
    beyond = {name: after[name] - before[name] for name in after}
    assert sum(beyond.values()) > 0
    assert all(beyond[name] <= published[name] for name in beyond)


def test_workers_without_grants_stop_when_their_term_is_over() -> None:
    simulation = a_race()
    simulation.run_for(12)
    simulation.fleet.mailbox.lose()
    simulation.run_for(120, begin_s=12)
    settled = simulation.delivered_micros()

    simulation.run_for(180, begin_s=120)

    assert simulation.delivered_micros() == settled


@pytest.mark.long
def test_a_month_of_two_hundred_campaigns_follows_its_plans() -> None:
    outcome = simulate(read_scenario("month"))

    assert off_plan(outcome) == {}
    assert outcome.overspent_micros == 0
    assert outcome.delivered_share >= 0.99


def a_race() -> Simulation:
    """Nothing breaks by itself."""
    scenario = read_scenario("race").model_copy(update={"faults": ()})
    return Simulation(scenario, make_world(scenario))


def delivered(outcome: Outcome) -> list[list[int]]:
    return [one.delivered for one in outcome.results.values()]
