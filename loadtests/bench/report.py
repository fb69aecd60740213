"""The last output of a bench: one JSON line with figures, ratios of one run, the bar of each, and the machine."""

import os
import platform
import re
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from common.decision import decide
from common.service.compiled import is_compiled
from loadtests.bench.rounds import SERVER_CORE
from loadtests.bench.slow import slow_means, slowness

_TIME = re.compile(r"_(?:s|ms|us)(?:_|$)")
_RATE = re.compile(r"_per_(?:cpu_)?s(?:_|$)")
"""Units are part of the names of figures."""


@dataclass(slots=True)
class Report:
    """``reach`` names ratios or figures with their least value (or, after ``max_``, their largest)."""

    bench: str
    figures: dict[str, float] = field(default_factory=dict)
    ratios: dict[str, float] = field(default_factory=dict)
    reach: dict[str, float] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    """Figures that could not be measured here, and why. A bar that depends on one is not met."""
    scale: float = 1.0
    """
    How many times slower than the reference the servers ran (`loadtests.bench.scale`). Absolute
    bars are scaled by it.
    """

    @property
    def ok(self) -> bool:
        return all(self._met(name, bar) for name, bar in self.reach.items())

    def print(self) -> int:
        """Prints the line; returns the exit code of the process: 0 if every bar is met."""
        line = {
            "bench": self.bench,
            "figures": _rounded(self.figures),
            "ratios": _rounded(self.ratios),
            "reach": self.reach,
            "ok": self.ok,
            "scale": round(self.scale, 3),
            **({"missing": self.missing} if self.missing else {}),
            "machine": machine(),
        }
        print(orjson.dumps(line).decode())
        return 0 if self.ok else 1

    def _met(self, name: str, bar: float) -> bool:
        measured = name.removeprefix("max_")
        value = self._find(measured)
        if value is None:
            return False
        if measured not in self.ratios:
            value = self._scaled(measured, value)
        return value <= bar if name.startswith("max_") else value >= bar

    def _scaled(self, name: str, value: float) -> float:
        """A time or a rate scaled to the reference machine; other figures unchanged."""
        scale = self.scale / slowness() if "cpu" in name else self.scale
        if _RATE.search(name):
            return value * scale
        return value / scale if _TIME.search(name) else value

    def _find(self, name: str) -> float | None:
        return self.ratios[name] if name in self.ratios else self.figures.get(name)


def machine() -> dict[str, str | int | None]:
    """``compiled``: whether the servers that it starts use compiled modules (`make compile`)."""
    return {
        "compiled": is_compiled(decide),
        "cores": os.cpu_count(),
        "cpu": _cpu_model(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "slow": f"{slowness():g} by {slow_means(SERVER_CORE)}",
    }


def percentile(values: list[float], share: float) -> float:
    """Nearest rank; *values* need not be sorted, and must not be empty."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def median(values: list[float]) -> float:
    return percentile(values, 0.5)


def _rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in values.items()}


def _cpu_model() -> str | None:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return None
