"""
The p99 of each operation over the time of a run, as the stack's own Prometheus has it (``LOAD_PROMETHEUS_URL``).

These are the edges' times from a request's head to its response, not those of the load's callers.
"""

import csv
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import httpx

from deploy.observability.chart import Box, color_of, draw_lines, label, svg

P99s = Mapping[str, Sequence[tuple[float, float]]]
"""Pairs of seconds since the beginning and milliseconds, by operation."""

_RATE: Final = "sum by (operation, le) (rate(placard_edge_request_seconds_bucket[{window}s]))"
_WINDOW_S: Final = 40
"""Four scrapes of the compose file's Prometheus."""
_POINTS: Final = 200
_MIN_STEP_S: Final = 5.0
_TIMEOUT_S: Final = 10.0
_WIDTH, _HEIGHT, _MARGIN, _LEGEND = 800, 320, 50, 18


class NoTimes(Exception):
    """Prometheus does not respond, or has no requests of that time; the message says which."""


def read_p99s(url: str, began_s: float, ended_s: float) -> P99s:
    """*began_s* and *ended_s*: seconds since the epoch. Raises `NoTimes`."""
    parameters = {
        "query": f"histogram_quantile(0.99, {_RATE.format(window=_WINDOW_S)})",
        "start": f"{began_s:.3f}",
        "end": f"{ended_s:.3f}",
        "step": f"{max(_MIN_STEP_S, (ended_s - began_s) / _POINTS):.3f}",
    }
    try:
        answer = httpx.get(
            f"{url.rstrip('/')}/api/v1/query_range", params=parameters, timeout=_TIMEOUT_S
        )
        answer.raise_for_status()
        series = answer.json()["data"]["result"]
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError) as error:
        raise NoTimes(f"Prometheus at {url} cannot be queried: {error}") from error
    found = {
        str(one["metric"].get("operation", "")): [
            (float(at_s) - began_s, float(value) * 1000)
            for at_s, value in one["values"]
            if math.isfinite(float(value))
        ]
        for one in series
    }
    p99s = {name: points for name, points in sorted(found.items()) if points}
    if not p99s:
        raise NoTimes(f"Prometheus at {url} has no requests of an edge in the time of the run.")
    return p99s


def write_p99s(p99s: P99s, csv_file: Path, picture: Path) -> None:
    with csv_file.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("seconds", "operation", "p99_ms"))
        for name, points in p99s.items():
            writer.writerows((f"{at_s:.1f}", name, f"{p99_ms:.3f}") for at_s, p99_ms in points)
    picture.write_text(draw(p99s), encoding="utf-8")


def draw(p99s: P99s) -> str:
    """An SVG with a line for each operation, from 0 to the longest p99."""
    last_s = max(at_s for points in p99s.values() for at_s, _ in points) or 1.0
    longest_ms = max(ms for points in p99s.values() for _, ms in points) or 1.0
    box = Box(_MARGIN, _MARGIN, _WIDTH - _MARGIN, _HEIGHT - _MARGIN)
    body = [
        *draw_lines(p99s, box, last_s=last_s, largest=longest_ms),
        label(4, box.top, f"{longest_ms:.1f} ms"),
        label(4, box.bottom, "0 ms"),
        label(box.right - 30, box.bottom + _LEGEND, f"{last_s:.0f} s"),
        *(
            label(
                box.right - 180,
                box.top + number * _LEGEND,
                f"p99 of {name}",
                color=color_of(number),
            )
            for number, name in enumerate(p99s)
        ),
    ]
    return svg(_WIDTH, _HEIGHT, body)
