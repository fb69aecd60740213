"""Every folder of tests has seconds to keep to, and what is over them is named."""

from pathlib import Path

from tests.support.budgets import folder_of, over_budget, read_budgets
from tests.support.groups import group_of

_TESTS = Path(__file__).parents[1]


def test_every_file_of_tests_is_in_a_folder_with_a_budget() -> None:
    budgets = read_budgets()
    files = [path.relative_to(_TESTS.parent).as_posix() for path in _TESTS.rglob("test_*.py")]
    assert {folder_of(f"{file}::test_it", budgets) for file in files} == set(budgets)


def test_a_test_counts_for_the_deepest_folder_that_has_a_budget() -> None:
    budgets = {"tests/control": 1.0, "tests/control/billing": 1.0}
    assert folder_of("tests/control/billing/ledger/test_post.py::t", budgets) == (
        "tests/control/billing"
    )
    assert folder_of("tests/control/test_matrix.py::t", budgets) == "tests/control"
    assert folder_of("tests/new/test_it.py::t", budgets) == "tests/new"


def test_a_folder_is_over_its_budget_at_more_than_twice_its_seconds() -> None:
    budgets = {"tests/a": 10.0, "tests/b": 10.0}
    assert over_budget({"tests/a": 20.0, "tests/b": 20.1, "tests/new": 99.0}, budgets) == [
        "tests/b"
    ]


def test_tests_that_share_a_broker_or_a_stack_run_in_one_process() -> None:
    nodes = ["tests/e2e/test_loop.py::t[kafka]", "tests/contracts/test_event_log.py::t[kafka-1]"]
    assert {group_of(node) for node in nodes} == {"kafka"}
    assert group_of("tests/e2e/test_loop.py::t[redis-streams]") == group_of(
        "tests/e2e/test_gates.py::t[redis-streams]"
    )
    assert group_of("tests/common/values/test_ids.py::t") == "tests/common/values/test_ids.py"
