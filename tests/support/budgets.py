"""
How long each folder's tests take, against the seconds that ``tests/budgets.toml`` allows it on two quiet cores.
A run prints the folders when asked by ``--budgets``; a busy machine fails no test.
"""

import tomllib
from collections import defaultdict
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


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Stopwatch(config), "placard-budgets")


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
