"""
Ranking on synthetic markets with known click rates: revenue against an oracle that knows the rates.

Three markets, each of 200 ads and five days of 1 000 000 opportunities, with rates that drift and one new campaign a
day. The edge's own code decides, and learns after each simulated half hour; one process a core. Run by ``make
bench-market``. ``ARGS=--seeds=4,5,6`` uses other markets, ``ARGS=--write`` updates the table and the picture of
docs/ranking.md.
"""

import sys
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from statistics import fmean

from common.decision.rules.gates import Ranking
from loadtests.bench.market_page import write_page
from loadtests.bench.market_run import Plan, RunResult, run
from loadtests.bench.report import Report

SEEDS = (1, 2, 3)
REACH = 0.97
"""Share of the oracle's revenue: all days after the first, the mean of the markets."""


def main(arguments: list[str]) -> int:
    began_s = time.perf_counter()
    plans = [
        Plan(ads=200, opportunities=1_000_000, days=5, seed=seed) for seed in _seeds(arguments)
    ]
    tasks = list(product(Ranking, plans))
    with ProcessPoolExecutor() as processes:
        courses = processes.map(
            run, *zip(*((plan, ranking) for ranking, plan in tasks), strict=True)
        )
        found: dict[Ranking, list[RunResult]] = {ranking: [] for ranking in Ranking}
        for course in courses:
            found[course.ranking].append(course)
    report = _report(found)
    report.figures["seconds"] = time.perf_counter() - began_s
    if "--write" in arguments:
        write_page(plans[0], found)
    return report.print()


def _report(found: dict[Ranking, list[RunResult]]) -> Report:
    report = Report("market", reach={"thompson_revenue_share": REACH})
    for ranking, courses in found.items():
        shares = [course.share_after_first_day() for course in courses]
        report.ratios[f"{ranking}_revenue_share"] = fmean(shares)
        report.ratios[f"{ranking}_revenue_share_least"] = min(shares)
        report.ratios[f"{ranking}_revenue_share_most"] = max(shares)
        report.figures[f"{ranking}_first_day_revenue_share"] = fmean(
            course.share_of_day(0) for course in courses
        )
        report.figures[f"{ranking}_rates_told_per_hour"] = fmean(
            course.told / course.hours for course in courses
        )
    return report


def _seeds(arguments: Iterable[str]) -> tuple[int, ...]:
    for argument in arguments:
        if argument.startswith("--seeds="):
            return tuple(int(seed) for seed in argument.removeprefix("--seeds=").split(","))
    return SEEDS


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
