"""Generates requests: users drawn by frequency, at times drawn by the traffic of the hour."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import exp
from random import Random

from common.decision.rules.opportunity import Opportunity
from common.values.clock import from_ms
from control.operations.simulator.scenario import HOUR_MS, Scenario, at

_SATURDAY = 5
_MANY = 500.0
"""Above this mean, a normal distribution approximates a Poisson one well enough."""


@dataclass(frozen=True, slots=True)
class UserPopulation:
    """Users, and the relative frequency of each."""

    callers: Sequence[Opportunity]
    weights: Sequence[float]
    sums: tuple[float, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sums", tuple(accumulate(self.weights)))


@dataclass(frozen=True, slots=True)
class Arrival:
    at_ms: int
    caller: Opportunity
    seed: int


def usual_at(scenario: Scenario, at_ms: int) -> float:
    """Requests expected in that hour without spikes or outages."""
    traffic, instant = scenario.traffic, from_ms(at_ms)
    of_day = traffic.weekend if instant.weekday() >= _SATURDAY else 1.0
    return traffic.requests_a_day * traffic.hours[instant.hour] / sum(traffic.hours) * of_day


def usual_by_hour(scenario: Scenario) -> list[float]:
    """By hour, from the start on."""
    return [
        usual_at(scenario, scenario.start_ms + hour * HOUR_MS) for hour in range(scenario.hours)
    ]


def arrivals(
    scenario: Scenario,
    users: UserPopulation,
    usual: Sequence[float],
    rng: Random,
    *,
    from_ms: int,
    until_ms: int,
) -> Iterator[Arrival]:
    """A Poisson process, in order of time; *usual*: requests by hour from the start on."""
    hour = (from_ms - scenario.start_ms) // HOUR_MS
    mean = usual[hour] * times_usual(scenario, from_ms) * (until_ms - from_ms) / HOUR_MS
    count = poisson(mean, rng)
    if not count:
        return
    span = until_ms - from_ms
    instants = sorted(from_ms + int(rng.random() * span) for _ in range(count))
    callers = rng.choices(users.callers, cum_weights=users.sums, k=count)
    for instant, caller in zip(instants, callers, strict=True):
        yield Arrival(instant, caller, rng.getrandbits(64))


def times_usual(scenario: Scenario, now_ms: int) -> float:
    """The factor by which outages and spikes change the usual traffic."""
    times = 1.0
    for span in (*scenario.traffic.dead, *scenario.traffic.flash):
        if at(scenario, span.from_h) <= now_ms < at(scenario, span.from_h + span.for_h):
            times *= getattr(span, "times", 0.0)
    return times


def poisson(mean: float, rng: Random) -> int:
    """A Poisson number of that mean (Knuth, TAOCP 2, 3.4.1; a normal one where the mean is large)."""
    if mean > _MANY:
        return max(0, round(rng.gauss(mean, mean**0.5)))
    least, count, product = exp(-mean), 0, rng.random()
    while product > least:
        count += 1
        product *= rng.random()
    return count
