"""
`make bench-pairs ARGS="--before COMMIT serve track"`: compares what this tree and *COMMIT* cost by processor time.

Prints what a unit of work costs now relative to before: the median of the pairs, and an interval that holds the median
with 95 %. Both run at the same time, because a machine's speed changes within seconds, also by processor time. Of
`HELD` benches an edge of each tree gets requests, on one core; of the others whole runs are compared. The baselines
of these are compared, too: they did not change, so they show the machine's own noise. `BENCH_SECONDS` shortens their
rounds.
"""

import argparse
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from math import comb
from pathlib import Path
from statistics import median
from typing import Any

import orjson

from deploy.standalone.child import ROOT
from loadtests.bench import held
from loadtests.bench.report import Report
from loadtests.bench.rounds import Side, cpu_seconds, generate

_BAR = 1.03
_BY_PROCESSOR = re.compile(r"cpu|cores|^(?:cold|warm)_p50_us")
"""`bench-decide` measures by processor time where a name does not say ``by_clock``."""
_RATE = re.compile(r"_per_cpu_s")
_BASELINE = re.compile(r"^(?:bare_|nginx|uvloop|one_by_one)")

HELD = ("serve", "serve-scale", "serve-swap", "track", "snapshot")
"""A unit of ``snapshot`` is a load of 100 000 campaigns; of the others, a request."""
_STARTS = 3
_TOGETHER_S = 2.0
_PACED = {"serve-swap": 300.0}
"""Requests a second, where an edge has other work, too: its cost a request would follow from its share of the core."""
_WARM_S = 20.0
"""Until most heads were seen. Tokens are used once, and a first state is loaded with the start."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", required=True, help="the commit to compare with")
    parser.add_argument(
        "--pairs", type=int, default=9, help="of each bench; of HELD benches, at each start"
    )
    parser.add_argument("benches", nargs="+", help="such as serve, track, serve-scale")
    arguments = parser.parse_args()
    before = _check_out(arguments.before)
    report = Report("pairs")
    for bench in arguments.benches:
        if bench in HELD:
            costs = _run_together(bench, (before, ROOT), arguments.pairs)
            _add(report, f"{bench}_cpu", costs, is_baseline=False)
        else:
            _compare_runs(report, bench, before, arguments.pairs)
    return report.print()


def _compare_runs(report: Report, bench: str, before: Path, pairs: int) -> None:
    """Adds what each figure costs now relative to before."""
    found: list[tuple[dict[str, Any], dict[str, Any]]] = []
    with ThreadPoolExecutor(2) as threads:
        for number in range(1, pairs + 1):
            first, second = threads.map(_figures, (before, ROOT), (bench, bench))
            found.append((first, second))
            costs = {name: _cost(name, found[-1]) for name in _compared(found)}
            shown = ", ".join(f"{name} {cost:.3f}" for name, cost in costs.items())
            print(f"  {bench}, pair {number}: {shown}", flush=True)
    for name in _compared(found):
        costs_of_pairs = [_cost(name, pair) for pair in found]
        _add(report, f"{bench}_{name}", costs_of_pairs, is_baseline=bool(_BASELINE.match(name)))


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
    done = subprocess.run(
        ["make", f"bench-{bench}"], cwd=tree, env=_environment(), check=False, capture_output=True
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith(b'{"bench"')]
    if not lines:
        raise SystemExit(
            f"`make bench-{bench}` in {tree} failed:\n{(done.stdout + done.stderr).decode()}"
        )
    figures: dict[str, Any] = orjson.loads(lines[-1])["figures"]
    return figures


def _run_together(bench: str, trees: Sequence[Path], pairs: int) -> list[float]:
    """What each pair costs now relative to before."""
    for tree in trees:
        subprocess.run(["make", "compile"], cwd=tree, env=_environment(), check=True)
    costs = []
    for _ in range(_STARTS):
        started = _run_started(bench, trees, pairs)
        print(f"  {bench}: {', '.join(f'{one:.3f}' for one in started)}", flush=True)
        costs += started
    return costs


def _environment() -> dict[str, str]:
    """Without what `make` and its arguments set for this process."""
    left_out = ("MAKE", "MFLAGS", "ARGS")
    return {name: value for name, value in os.environ.items() if not name.startswith(left_out)}


def _run_started(bench: str, trees: Sequence[Path], pairs: int) -> list[float]:
    """The same of one start."""
    with ExitStack() as steps:
        processes = [steps.enter_context(_hold(bench, tree)) for tree in trees]
        edges = [_Edge(bench, process) for process in processes]
        threads = steps.enter_context(ThreadPoolExecutor(len(edges)))
        if bench.startswith("serve"):
            list(threads.map(lambda edge: edge.generate(_WARM_S), edges))
        costs = []
        for number in range(pairs + 1):
            before_s, now_s = threads.map(_Edge.measure, edges)
            if number:  # the first is a warm-up
                costs.append(now_s / before_s)
    return costs


@contextmanager
def _hold(bench: str, tree: Path) -> Iterator[subprocess.Popen[bytes]]:
    source = Path(held.__file__).read_text(encoding="utf-8")
    process = subprocess.Popen(
        [tree / ".venv" / "bin" / "python", "-c", source, bench],
        cwd=tree,
        env={**_environment(), "PLACARD_COMPILED": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.communicate()


class _Edge:
    """An edge of a held bench, once it is ready."""

    def __init__(self, bench: str, process: subprocess.Popen[bytes]) -> None:
        self._bench = bench
        self._process = process
        port, self._pid, requests = self._read()
        good = frozenset({"204" if bench == "track" else "200"})
        self._side = Side(bench, port, Path(requests), good)

    def measure(self) -> float:
        """Seconds of processor time that a unit of work took."""
        used_s = cpu_seconds(self._pid)
        self._prepare()
        if self._bench == "snapshot":
            return cpu_seconds(self._pid) - used_s
        used_s = cpu_seconds(self._pid)
        requests = self.generate(_TOGETHER_S)
        return (cpu_seconds(self._pid) - used_s) / requests

    def generate(self, seconds: float) -> int:
        """The number of requests that were answered."""
        connections = 256 if self._bench == "track" else 64
        outcome = generate(
            self._side, seconds=seconds, connections=connections, rate=_PACED.get(self._bench)
        )
        return int(outcome["requests"])

    def _prepare(self) -> None:
        assert self._process.stdin
        self._process.stdin.write(b"\n")
        self._process.stdin.flush()
        self._read()

    def _read(self) -> tuple[int, int, str]:
        assert self._process.stdout
        for line in self._process.stdout:
            if line.startswith(b"["):
                port, pid, requests = orjson.loads(line)
                return port, pid, requests
        raise SystemExit(f"an edge of {self._bench} ended")


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
