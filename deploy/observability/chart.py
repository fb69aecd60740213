"""Pictures of dashboards as SVG, drawn from the results of their queries. They are no screenshots of Grafana."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Final
from xml.sax.saxutils import escape

from deploy.observability.dashboards import Dashboard, Panel

Points = Sequence[tuple[float, float]]
"""Seconds since the beginning, and values in the unit of the panel."""
Lines = Mapping[str, Points]
"""By legend."""

_COLORS: Final = ("#2563eb", "#dc2626", "#16a34a", "#9333ea", "#ea580c", "#0891b2", "#4b5563")
_COLUMNS: Final = 3
_WIDTH, _HEIGHT, _GAP, _TOP, _ROW = 400, 220, 12, 64, 28
_LEFT, _ABOVE, _BELOW, _LINE = 66, 50, 58, 12
_LEGENDS: Final = 6
"""Lines of a panel that the legend names, in two columns; it counts the others."""
_HELP_LETTERS, _HELP_LINES = 78, 2
_LONGEST: Final = 30
"""Letters of a legend that have room."""
_SCALES: Final = {
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")),
    "percentunit": ((0.01, "%"),),
    "bytes": ((2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B")),
    "reqps": ((1.0, "req/s"),),
    "eps": ((1.0, "ev/s"),),
    "ops": ((1.0, "ops/s"),),
    "short": ((1e6, "M"), (1e3, "k"), (1.0, "")),
}


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of a picture, in its pixels."""

    left: float
    top: float
    right: float
    bottom: float


def draw_dashboard(dashboard: Dashboard, results: Mapping[str, Lines], caption: str) -> str:
    """Returns the SVG. *results*: by the title of the panel. *caption*: when and under which load they were queried."""
    parts: list[str] = []
    top = float(_TOP)
    for title, panels in dashboard.rows.items():
        parts.append(label(_GAP, top + 18, title, size=15, weight="bold"))
        top += _ROW
        for number, panel in enumerate(panels):
            left = _GAP + number % _COLUMNS * (_WIDTH + _GAP)
            above = top + number // _COLUMNS * (_HEIGHT + _GAP)
            box = Box(left, above, left + _WIDTH, above + _HEIGHT)
            parts += _draw_panel(panel, results.get(panel.title, {}), box)
        top += -(-len(panels) // _COLUMNS) * (_HEIGHT + _GAP)
    width = _GAP + _COLUMNS * (_WIDTH + _GAP)
    heading = [
        label(_GAP, 26, dashboard.title, size=18, weight="bold"),
        label(_GAP, 46, caption, size=12, color="#555"),
    ]
    return svg(width, top, [*heading, *parts])


def svg(width: float, height: float, parts: Sequence[str]) -> str:
    """A picture on a white ground, which also dark pages show as it is."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'font-family="sans-serif" font-size="12"><rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>'
        f"{''.join(parts)}</svg>\n"
    )


def draw_lines(lines: Lines, box: Box, *, last_s: float, largest: float) -> Iterator[str]:
    """Axes and a polyline for each of *lines*, from zero to *last_s* and from zero to *largest*."""
    width, height = box.right - box.left, box.bottom - box.top
    yield f'<path d="M{box.left:.0f},{box.top:.0f}V{box.bottom:.0f}H{box.right:.0f}" fill="none" stroke="#111"/>'
    for number, points in enumerate(lines.values()):
        line = " ".join(
            f"{box.left + at_s / last_s * width:.1f},{box.bottom - value / largest * height:.1f}"
            for at_s, value in points
        )
        yield f'<polyline points="{line}" fill="none" stroke="{color_of(number)}" stroke-width="1.5"/>'


def color_of(number: int) -> str:
    return _COLORS[number % len(_COLORS)]


def _draw_panel(panel: Panel, lines: Lines, box: Box) -> Iterator[str]:
    yield (
        f'<rect x="{box.left:.0f}" y="{box.top:.0f}" width="{box.right - box.left:.0f}" '
        f'height="{box.bottom - box.top:.0f}" fill="none" stroke="#ccc"/>'
    )
    yield label(box.left + 8, box.top + 16, panel.title, size=10, weight="bold")
    for number, line in enumerate(wrap(panel.help, _HELP_LETTERS)[:_HELP_LINES]):
        yield label(box.left + 8, box.top + 29 + number * 11, line, size=9, color="#555")
    plot = Box(box.left + _LEFT, box.top + _ABOVE, box.right - 10, box.bottom - _BELOW)
    if not lines:
        yield label(plot.left, (plot.top + plot.bottom) / 2, "no data", color="#555")
        return
    values = [value for points in lines.values() for _, value in points]
    last_s = max(at_s for points in lines.values() for at_s, _ in points) or 1.0
    divisor, unit = _scale(panel.unit, max(values))
    largest = max(values) or divisor
    yield from draw_lines(lines, plot, last_s=last_s, largest=largest)
    yield label(box.left + 4, plot.top + 8, f"{largest / divisor:.3g} {unit}".rstrip(), size=10)
    yield label(box.left + 4, plot.bottom, "0", size=10)
    yield label(plot.right - 26, plot.bottom + _LINE, f"{last_s:.0f} s", size=10)
    for number, name in enumerate(list(lines)[:_LEGENDS]):
        x = box.left + 8 + number % 2 * (_WIDTH / 2)
        y = plot.bottom + (2 + number // 2) * _LINE
        yield label(x, y, _shortened(name), size=10, color=color_of(number))
    if len(lines) > _LEGENDS:
        more = f"and {len(lines) - _LEGENDS} more"
        yield label(plot.left, plot.bottom + _LINE, more, size=10, color="#555")


def _scale(unit: str, largest: float) -> tuple[float, str]:
    """The divisor and the name in which *largest* has the fewest digits."""
    scales = _SCALES[unit]
    return next((scale for scale in scales if largest >= scale[0]), scales[-1])


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def label(
    x: float, y: float, text: str, *, size: int = 12, color: str = "#111", weight: str = "normal"
) -> str:
    """A line of *text*, whose letters stand on *y*."""
    bold = f' font-weight="{weight}"' if weight != "normal" else ""
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" fill="{color}"{bold}>{escape(text)}</text>'
