"""
How long each folder's tests take, against the seconds that ``tests/budgets.toml`` allows it on two quiet cores.
A run prints the folders when asked by ``--budgets``; a busy machine fails no test.
"""

import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Mapping
from operator import itemgetter
from pathlib import Path

import pytest

_TABLE = Path(__file__).parents[1] / "budgets.toml"
_TOLERANCE = 2.0
"""A folder is over its budget at this many times its seconds."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--budgets",
        choices=["print", "hold"],
        help="print the seconds of each folder; `hold` fails the run where one takes twice its budget",
    )
    parser.addoption(
        "--stop-after", type=float, help="begin no test so many seconds after the first"
    )


def pytest_configure(config: pytest.Config) -> None:
    seconds: float | None = config.getoption("--stop-after")
    if seconds is not None:
        config.pluginmanager.register(_Deadline(config, seconds), "placard-deadline")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Stopwatch(config), "placard-budgets")


class _Deadline:
    """
    Ends a run that has had its seconds, in each of its processes, which begin to count when they have collected the
    tests: on a busy machine that takes longer. The run fails only if a test failed.
    """

    def __init__(self, config: pytest.Config, seconds: float) -> None:
        self._seconds = seconds
        self._ends_s = time.monotonic() + seconds
        self._files = [name for name in config.args if name.endswith(".py")]
        self._begun: set[str] = set()

    def pytest_collection_finish(self) -> None:
        self._ends_s = time.monotonic() + self._seconds

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._begun.add(report.nodeid.split("::", 1)[0])

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        if time.monotonic() > self._ends_s:
            item.session.shouldstop = f"{self._seconds:.0f} s are over"

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        is_over = time.monotonic() > self._ends_s
        if (
            is_over
            and session.exitstatus == pytest.ExitCode.INTERRUPTED
            and not session.testsfailed
        ):
            session.exitstatus = pytest.ExitCode.OK

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        left = [name for name in self._files if name not in self._begun]
        if left:
            terminalreporter.section(f"left to CI after {self._seconds:.0f} s")
            folders = Counter(name.rpartition("/")[0] for name in left)
            for folder, count in sorted(folders.items()):
                terminalreporter.write_line(f"{count:4} files of {folder}")


class _Stopwatch:
    """Adds up what the tests of each folder take, in whichever process they ran."""

    def __init__(self, config: pytest.Config) -> None:
        self._mode: str | None = config.getoption("--budgets")
        self._budgets = read_budgets()
        self._spent: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._spent[folder_of(report.nodeid, self._budgets)] += report.duration

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._mode == "hold" and over_budget(self._spent, self._budgets):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._mode is None:
            return
        over = over_budget(self._spent, self._budgets)
        terminalreporter.section("seconds of each folder")
        for folder, spent in sorted(self._spent.items(), key=itemgetter(1), reverse=True):
            budget = self._budgets.get(folder)
            allowed = "no budget" if budget is None else f"of {budget:.0f}"
            note = "  OVER BUDGET" if folder in over else ""
            terminalreporter.write_line(f"{spent:8.1f} {allowed:>10}  {folder}{note}")
        terminalreporter.write_line(f"{sum(self._spent.values()):8.1f} in all")
        if over:
            terminalreporter.write_line(
                f"Over {_TOLERANCE:.0f} times the budget in tests/budgets.toml: {', '.join(over)}. "
                "Make these tests faster, or raise the budget and say why in the commit."
            )


def read_budgets() -> dict[str, float]:
    """Seconds by folder."""
    return {str(k): float(v) for k, v in tomllib.loads(_TABLE.read_text("utf-8")).items()}


def folder_of(nodeid: str, budgets: Mapping[str, float]) -> str:
    """The deepest folder above the test that has a budget; else the folder the test stands in."""
    standing_in = nodeid.split("::", 1)[0].rpartition("/")[0]
    folder = standing_in
    while folder and folder not in budgets:
        folder = folder.rpartition("/")[0]
    return folder or standing_in


def over_budget(spent: Mapping[str, float], budgets: Mapping[str, float]) -> list[str]:
    """The folders that took more than `_TOLERANCE` times their budget."""
    return [one for one in spent if spent[one] > _TOLERANCE * budgets.get(one, float("inf"))]
