"""The printed output of a simulation: a line a campaign, the error against plan by hour, and the sums."""

from collections.abc import Iterator

from common.values.money import micros_to_cents
from control.operations.simulator.results import Outcome, SimulationResult

_MARKS = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
_LINE = "{:>4} {:>8} {:>12} {:>8} " + "{:>6} " * len(_MARKS) + "{:>9} {:>9} {:>10}"


def lines_of(outcome: Outcome) -> Iterator[str]:
    yield from _curves(outcome)
    yield ""
    yield from _errors(outcome)
    yield ""
    yield from _sums(outcome)


def _curves(outcome: Outcome) -> Iterator[str]:
    """Percent of the budget delivered at fractions of the time."""
    marks = [f"{mark:.0%}" for mark in _MARKS[:-1]] + ["end"]
    yield _LINE.format(
        *("no", "events", "pacing", "bid"), *marks, *("off plan", "worst", "over cents")
    )
    for number, result in enumerate(outcome.results.values(), start=1):
        hours = [round(mark * (outcome.scenario.hours - 1)) for mark in _MARKS]
        budget = max(1, result.budget_micros)
        price = result.order.unit_micros
        worst = max((result.error(hour) for hour in outcome.judged(result)), default=0.0)
        yield _LINE.format(
            *(number, result.budget_micros // price, result.order.pacing.value, price),
            *(f"{result.delivered[hour] / budget:.0%}" for hour in hours),
            *(len(outcome.hours_off_plan(result)), f"{worst:.2f}"),
            micros_to_cents(result.over_micros),
        )


def _errors(outcome: Outcome) -> Iterator[str]:
    """By hour, the median and the worst deviation of campaigns from their plan, relative to the tolerance."""
    yield "error against plan, 1.00 is the most allowed (5 % of plan or 3 events), by hour:"
    courses = list(outcome.results.values())
    for first in range(0, outcome.scenario.hours, 6):
        hours = range(first, min(first + 6, outcome.scenario.hours))
        cells = [_error_of(outcome, courses, hour) for hour in hours]
        yield f"{first:>5} h  " + "  ".join(cells)


def _error_of(outcome: Outcome, courses: list[SimulationResult], hour: int) -> str:
    found = sorted(one.error(hour) for one in courses if hour in outcome.judged(one))
    if not found:
        return "   -         "
    return f"{found[len(found) // 2]:.2f} to {found[-1]:<5.2f}"


def _sums(outcome: Outcome) -> Iterator[str]:
    off = sum(bool(outcome.hours_off_plan(one)) for one in outcome.results.values())
    over = sum(one.over_micros for one in outcome.results.values())
    yield f"campaigns ever off plan: {off} of {len(outcome.results)}"
    yield f"delivered of all budgets: {outcome.delivered_share:.2%}"
    yield f"billed beyond budgets: {micros_to_cents(outcome.overspent_micros)} cents"
    yield f"delivered beyond budgets, not billed: {micros_to_cents(over)} cents"
    yield (
        f"{outcome.decisions:,} decisions in {outcome.seconds:.1f} s of the processor: "
        f"{outcome.decisions / max(0.001, outcome.seconds):,.0f} a second"
    )
