"""On a market with known click rates ranking learns what earns, and by Thompson sampling nearly as much as can be."""

import pytest

from common.decision.rules.gates import Ranking
from loadtests.bench.market_page import picture, table
from loadtests.bench.market_run import Plan, run

TINY = Plan(ads=6, opportunities=3_000, days=2)


@pytest.mark.parametrize("ranking", Ranking)
def test_a_course_is_the_same_whenever_it_is_run(ranking: Ranking) -> None:
    course = run(TINY, ranking)
    assert course == run(TINY, ranking)
    assert 0 < course.share_after_first_day() <= 1


def test_thompson_comes_near_the_oracle_and_loses_no_more_than_it_tries() -> None:
    course = run(Plan(ads=8, opportunities=40_000, days=2), Ranking.THOMPSON)
    assert course.share_after_first_day() > course.earned[0] / course.best[0]
    assert course.share_after_first_day() >= 0.8


def test_the_page_has_a_line_a_day_and_the_picture_a_curve_a_ranking() -> None:
    courses = {ranking: [run(TINY, ranking)] for ranking in Ranking}
    assert table(TINY, courses).count("\n") == 5
    assert picture(TINY, courses).count("<polyline") == len(Ranking)


@pytest.mark.long
def test_after_the_first_day_thompson_earns_nearly_what_the_oracle_does() -> None:
    plan = Plan(ads=60, opportunities=400_000, days=3)
    assert run(plan, Ranking.THOMPSON).share_after_first_day() >= 0.95
