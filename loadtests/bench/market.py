"""
Ranking on a synthetic market with known click rates: revenue against an oracle that knows them.

200 ads, five days of 1 000 000 opportunities, rates that drift, one newcomer a day; decided by the edge's own deciding,
learned from once a simulated minute, a process a ranking. Run by ``make bench-market``; ``ARGS=--write`` renews the
table and the picture of docs/ranking.md.
"""

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from common.decision.gates import Ranking
from loadtests.bench.market_page import write_page
from loadtests.bench.market_run import Plan, run
from loadtests.bench.report import Report

PLAN = Plan(ads=200, opportunities=1_000_000, days=5)
LEARNED_AFTER = 0.4
"""Of the course: two days of five."""
REACH = 0.97


def main(arguments: list[str]) -> int:
    began_s = time.perf_counter()
    with ProcessPoolExecutor(len(Ranking)) as processes:
        courses = dict(zip(Ranking, processes.map(partial(run, PLAN), Ranking), strict=True))
    report = Report("market", figures={"seconds": time.perf_counter() - began_s})
    for ranking, course in courses.items():
        report.figures[f"{ranking}_rates_told_per_minute"] = course.told / (PLAN.days * 1440)
        report.figures[f"{ranking}_first_day_revenue_share"] = course.share_of_day(0)
        report.ratios[f"{ranking}_revenue_share"] = course.share(LEARNED_AFTER)
    report.reach = {"thompson_revenue_share": REACH}
    if "--write" in arguments:
        write_page(PLAN, courses)
    return report.print()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
