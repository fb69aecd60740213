"""
`make bench-pairs ARGS="--before COMMIT serve track"`: runs benches of this tree and of *COMMIT* in turn, A B A B …

Prints, for each figure by processor time that both have, what it costs now relative to before: the median of the
pairs and an interval that holds the median with 95 %. The baselines of a bench are compared, too: they did not change,
so they show the machine's own noise. `BENCH_SECONDS` shortens a round.
"""

import argparse
import os
import re
import subprocess
from math import comb
from pathlib import Path
from statistics import median
from typing import Any

import orjson

from deploy.standalone.child import ROOT
from loadtests.bench.report import Report

_BAR = 1.03
_BY_PROCESSOR = re.compile(r"cpu|cores|^(?:cold|warm)_p50_us")
"""`bench-decide` measures by processor time where a name does not say ``by_clock``."""
_RATE = re.compile(r"_per_cpu_s")
_BASELINE = re.compile(r"^(?:bare_|nginx|uvloop|one_by_one)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", required=True, help="the commit to compare with")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("benches", nargs="+", help="such as serve, track, serve-scale")
    arguments = parser.parse_args()
    before = _check_out(arguments.before)
    report = Report("pairs")
    for bench in arguments.benches:
        pairs: list[tuple[dict[str, Any], dict[str, Any]]] = []
        for number in range(1, arguments.pairs + 1):
            pairs.append((_figures(before, bench), _figures(ROOT, bench)))
            costs = {name: _cost(name, pairs[-1]) for name in _compared(pairs)}
            shown = ", ".join(f"{name} {cost:.3f}" for name, cost in costs.items())
            print(f"  {bench}, pair {number}: {shown}", flush=True)
        for name in _compared(pairs):
            costs_of_pairs = [_cost(name, pair) for pair in pairs]
            _add(report, f"{bench}_{name}", costs_of_pairs, is_baseline=bool(_BASELINE.match(name)))
    return report.print()


def _check_out(commit: str) -> Path:
    """The tree of *commit*, below `build/`. It is made once; its own `make` sets it up and compiles it."""
    full = _git("rev-parse", "--verify", f"{commit}^{{commit}}").decode().strip()
    tree = ROOT / "build" / "pairs" / full
    if not tree.exists():
        unfinished = tree.with_suffix(".part")
        unfinished.mkdir(parents=True, exist_ok=True)
        subprocess.run(["tar", "-x", "-C", unfinished], input=_git("archive", full), check=True)
        unfinished.rename(tree)
    return tree


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True).stdout


def _figures(tree: Path, bench: str) -> dict[str, Any]:
    """The figures of one run. A missed bar is no failure here."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))
    }
    done = subprocess.run(
        ["make", f"bench-{bench}"], cwd=tree, env=environment, check=False, capture_output=True
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith(b'{"bench"')]
    if not lines:
        raise SystemExit(
            f"`make bench-{bench}` in {tree} failed:\n{(done.stdout + done.stderr).decode()}"
        )
    figures: dict[str, Any] = orjson.loads(lines[-1])["figures"]
    return figures


def _compared(pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> list[str]:
    """Figures by processor time that are above 0 in every run of both trees."""
    runs = [run for pair in pairs for run in pair]
    return [
        name
        for name in runs[0]
        if _BY_PROCESSOR.search(name) and all(run.get(name) for run in runs)
    ]


def _cost(name: str, pair: tuple[dict[str, Any], dict[str, Any]]) -> float:
    return cost(name, *(float(run[name]) for run in pair))


def cost(name: str, before: float, now: float) -> float:
    """What one unit of work takes *now*, relative to *before*; *name* tells a rate from a time."""
    return before / now if _RATE.search(name) else now / before


def _add(report: Report, name: str, costs: list[float], *, is_baseline: bool) -> None:
    low, high = median_interval(costs)
    target = report.figures if is_baseline else report.ratios
    target |= {name: median(costs), f"{name}_low": low, f"{name}_high": high}
    if not is_baseline:
        report.reach[f"max_{name}"] = _BAR


def median_interval(values: list[float]) -> tuple[float, float]:
    """
    Two of *values* that hold the true median between them with 95 % or more, whatever its distribution; of five and
    fewer the least and the greatest. Of nine, the second and the eighth.

    Source: the sign test. The true median is below the k-th least of n with the probability of fewer than k heads in n.
    """
    ordered, n = sorted(values), len(values)
    left_out, chance = 0, 2 / 2**n
    while chance <= 0.05:
        left_out += 1
        chance += 2 * comb(n, left_out) / 2**n
    left_out = max(left_out - 1, 0)
    return ordered[left_out], ordered[n - 1 - left_out]


if __name__ == "__main__":
    raise SystemExit(main())
