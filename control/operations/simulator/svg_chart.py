"""Curves of a simulation as SVG: the delivered share of a campaign's budget by hour, over the planned one."""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from control.operations.simulator.results import Outcome, SimulationResult

_WIDE, _HIGH, _GAP, _ACROSS = 220, 120, 24, 3
_LEGEND_HIGH = 16
_TRAFFIC_HIGH = 80
_DAY_H = 24
_PLAN, _CAME, _LINE = "#b45309", "#1d4ed8", "#666"


def write_pictures(outcome: Outcome, folder: Path) -> list[Path]:
    """Writes an overview of all sizes, named after the scenario, and one picture a campaign."""
    folder.mkdir(parents=True, exist_ok=True)
    glance = folder / f"{outcome.scenario.name}.svg"
    glance.write_text(overview(outcome), encoding="utf-8")
    written = [glance]
    for number, result in enumerate(outcome.results.values(), start=1):
        path = folder / f"{outcome.scenario.name}-{number:03}.svg"
        path.write_text(_page([_panel(result)], outcome, across=1), encoding="utf-8")
        written.append(path)
    return written


def overview(outcome: Outcome) -> str:
    """The campaign furthest from its plan of each size, and the traffic."""
    worst: dict[int, SimulationResult] = {}
    for result in outcome.results.values():
        known = worst.get(_size(result))
        if known is None or _worst_error(outcome, result) > _worst_error(outcome, known):
            worst[_size(result)] = result
    shown = [worst[size] for size in sorted(worst)]
    step = max(1, -(-len(shown) // 9))
    return _page([_panel(result) for result in shown[::-1][::step][::-1]], outcome, across=_ACROSS)


def _page(panels: Sequence[str], outcome: Outcome, *, across: int) -> str:
    rows = -(-len(panels) // across)
    wide = across * (_WIDE + _GAP) + _GAP
    first = _GAP + _LEGEND_HIGH
    top = rows * (_HIGH + 2 * _GAP) + first
    high = top + _TRAFFIC_HIGH + 2 * _GAP
    body = [
        _moved(
            _GAP + (_WIDE + _GAP) * (n % across), first + (_HIGH + 2 * _GAP) * (n // across), one
        )
        for n, one in enumerate(panels)
    ]
    body.append(_moved(_GAP, top, _traffic(outcome, wide - 2 * _GAP)))
    name = escape(f"{outcome.scenario.name}: {outcome.scenario.hours // _DAY_H} days")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" '
        f'font-family="sans-serif" font-size="11"><title>{name}</title>'
        f'<rect width="{wide}" height="{high}" fill="#fff"/>'
        f"{_text(_GAP, 14, 'planned', _PLAN)}{_text(_GAP + 60, 14, 'delivered', _CAME)}"
        f"{''.join(body)}</svg>\n"
    )


def _panel(result: SimulationResult) -> str:
    budget = max(1, result.budget_micros)
    came = [0.0, *(micros / budget for micros in result.delivered)]
    planned = [0.0, *((micros or 0) / budget for micros in result.planned)]
    has_plan = result.planned[-1] is not None
    pacing = result.order.pacing.value.replace("_", "-")
    return (
        _text(0, -6, f"{_size(result):,} events, {pacing}", _LINE)
        + _frame(_WIDE, _HIGH)
        + (_line(planned, _WIDE, _HIGH, _PLAN, 2.5) if has_plan else "")
        + _line(came, _WIDE, _HIGH, _CAME, 1.2)
    )


def _traffic(outcome: Outcome, wide: int) -> str:
    most = max(1, *outcome.opportunities)
    return (
        _text(0, -6, f"requests an hour, up to {most:,}; filled below", _LINE)
        + _frame(wide, _TRAFFIC_HIGH)
        + _line([count / most for count in outcome.opportunities], wide, _TRAFFIC_HIGH, _LINE, 1)
        + _line([filled / most for filled in outcome.filled], wide, _TRAFFIC_HIGH, _CAME, 1)
    )


def _line(shares: Sequence[float], wide: int, high: int, colour: str, width: float) -> str:
    last = max(1, len(shares) - 1)
    points = " ".join(
        f"{wide * n / last:.1f},{high * (1 - share):.1f}" for n, share in enumerate(shares)
    )
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def _frame(wide: int, high: int) -> str:
    return f'<path d="M0,0 V{high} H{wide}" fill="none" stroke="{_LINE}"/>'


def _moved(x: int, y: int, body: str) -> str:
    return f'<g transform="translate({x},{y})">{body}</g>'


def _text(x: int, y: int, words: str, colour: str) -> str:
    return f'<text x="{x}" y="{y}" fill="{colour}">{escape(words)}</text>'


def _size(result: SimulationResult) -> int:
    return result.budget_micros // result.order.unit_micros


def _worst_error(outcome: Outcome, result: SimulationResult) -> float:
    return max(_errors(outcome, result), default=0.0)


def _errors(outcome: Outcome, result: SimulationResult) -> Iterable[float]:
    return (result.error(hour) for hour in outcome.judged(result))
