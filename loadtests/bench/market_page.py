"""The table and the picture of docs/ranking.md, from the courses of a run."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from common.decision.gates import Ranking
from loadtests.bench.market_run import PARTS_A_DAY, Course, Plan

PAGE = Path("docs/ranking.md")
PICTURE = Path("docs/ranking.svg")
_TABLE = re.compile(r"(?<=<!-- market -->\n).*?(?=<!-- /market -->)", re.DOTALL)
_COLOURS = {Ranking.GREEDY: "#b45309", Ranking.THOMPSON: "#1d4ed8"}
_WIDTH, _HEIGHT, _LEFT, _BELOW, _TOP = 640, 280, 60, 30, 20


def write_page(plan: Plan, courses: Mapping[Ranking, Course]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(_TABLE.sub(lambda _: table(plan, courses), page), encoding="utf-8")
    PICTURE.write_text(picture(plan, courses), encoding="utf-8")


def table(plan: Plan, courses: Mapping[Ranking, Course]) -> str:
    """A line a day: what each ranking earned of what the oracle did, and its regret so far."""
    lines = ["| day | " + " | ".join(f"{one}: revenue | regret so far" for one in courses) + " |"]
    lines.append("|---|" + "---|---|" * len(courses))
    for day in range(plan.days):
        cells = [
            f"{course.share_of_day(day):.1%} | {_euros(course, day)}" for course in courses.values()
        ]
        lines.append(f"| {day + 1} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def picture(plan: Plan, courses: Mapping[Ranking, Course]) -> str:
    """Regret by time, one line a ranking, as SVG."""
    most = max(course.regret_micros(len(course.best)) for course in courses.values())
    body: list[str] = []
    for place, (ranking, course) in enumerate(courses.items()):
        points = [
            _point(part, len(course.best), course.regret_micros(part), most)
            for part in range(len(course.best) + 1)
        ]
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


def _euros(course: Course, day: int) -> str:
    return f"€ {course.regret_micros((day + 1) * PARTS_A_DAY) / 1e6:,.0f}"
