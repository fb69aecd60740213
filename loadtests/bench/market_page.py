"""The table and the picture of docs/ranking.md, from the courses of a run."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from common.decision.rules.gates import Ranking
from loadtests.bench.market_run import PARTS_A_DAY, Plan, RunResult

PAGE = Path("docs/ranking.md")
PICTURE = Path("docs/ranking.svg")
_TABLE = re.compile(r"(?<=<!-- market -->\n).*?(?=<!-- /market -->)", re.DOTALL)
_COLOURS = {Ranking.GREEDY: "#b45309", Ranking.THOMPSON: "#1d4ed8"}
_WIDTH, _HEIGHT, _LEFT, _BELOW, _TOP = 640, 280, 60, 30, 20


Courses = Mapping[Ranking, Sequence[RunResult]]
"""For each ranking, one course a market."""


def write_page(plan: Plan, courses: Courses) -> None:
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(_TABLE.sub(lambda _: table(plan, courses), page), encoding="utf-8")
    PICTURE.write_text(picture(plan, courses), encoding="utf-8")


def table(plan: Plan, courses: Courses) -> str:
    """One line a day: each ranking's revenue as a share of the oracle's, as mean and range, and its mean regret."""
    lines = ["| day | " + " | ".join(f"{one}: revenue | regret so far" for one in courses) + " |"]
    lines.append("|---|" + "---|---|" * len(courses))
    for day in range(plan.days):
        cells = [
            f"{_shares([one.share_of_day(day) for one in own])} | {_euros(own, day)}"
            for own in courses.values()
        ]
        lines.append(f"| {day + 1} | {' | '.join(cells)} |")
    after = [_shares([one.share_after_first_day() for one in own]) for own in courses.values()]
    lines.append(f"| after the first | {' | | '.join(after)} | |")
    return "\n".join(lines) + "\n"


def picture(plan: Plan, courses: Courses) -> str:
    """Mean regret over time, one line a ranking, as SVG."""
    parts = plan.days * PARTS_A_DAY
    most = max(_regret(own, parts) for own in courses.values())
    body: list[str] = []
    for place, (ranking, own) in enumerate(courses.items()):
        points = [_point(part, parts, _regret(own, part), most) for part in range(parts + 1)]
        body.append(_line(points, _COLOURS[ranking]))
        body.append(_text(_LEFT + 12, _TOP + 16 + 18 * place, ranking, _COLOURS[ranking]))
    return _frame(body, plan.days, most)


def _frame(body: Iterable[str], days: int, most: float) -> str:
    right, floor = _WIDTH - 10, _HEIGHT - _BELOW
    axes = (
        f'<path d="M{_LEFT},{_TOP} V{floor} H{right}" fill="none" stroke="#666"/>'
        + _text(_LEFT - 8, _TOP + 4, f"€ {most / 1e6:,.0f}", "#666", "end")
        + _text(_LEFT - 8, floor, "0", "#666", "end")
        + "".join(
            _text(
                _LEFT + (right - _LEFT) * (day + 0.5) / days,
                floor + 18,
                f"day {day + 1}",
                "#666",
                "middle",
            )
            for day in range(days)
        )
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        'font-family="sans-serif" font-size="12"><title>Regret against an oracle</title>'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>{axes}{"".join(body)}</svg>\n'
    )


def _point(part: int, parts: int, regret: float, most: float) -> tuple[float, float]:
    right, floor = _WIDTH - 10, _HEIGHT - _BELOW
    return _LEFT + (right - _LEFT) * part / parts, floor - (floor - _TOP) * regret / most


def _line(points: Sequence[tuple[float, float]], colour: str) -> str:
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2"/>'


def _text(x: float, y: float, words: str, colour: str, anchor: str = "start") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" fill="{colour}" text-anchor="{anchor}">{words}</text>'


def _shares(shares: Sequence[float]) -> str:
    return f"{fmean(shares):.1%} ({min(shares):.0%} to {max(shares):.0%})"


def _euros(courses: Sequence[RunResult], day: int) -> str:
    return f"€ {_regret(courses, (day + 1) * PARTS_A_DAY) / 1e6:,.0f}"


def _regret(courses: Sequence[RunResult], parts: int) -> float:
    return fmean(one.regret_micros(parts) for one in courses)
