"""The load suite's arithmetic: shapes over time, percentiles, and the gate."""

import pytest

from deploy.drills.oracle import Verdict
from loadtests.curves import users_of_ramp, users_of_soak, users_of_spike
from loadtests.gate import judge
from loadtests.latencies import Latencies


def times(*ms: float) -> Latencies:
    found = Latencies()
    for one in ms:
        found.add(one)
    return found


def test_a_ramp_rises_to_all_users_and_ends() -> None:
    at = [users_of_ramp(second, 100, 60) for second in (0, 10, 20, 59, 60)]
    assert [None if one is None else one[0] for one in at] == [10, 55, 100, 100, None]


def test_a_spike_is_five_times_the_users_for_a_sixth_of_the_time() -> None:
    at = [users_of_spike(second, 10, 60) for second in (19, 20, 29, 30, 60)]
    assert [None if one is None else one[0] for one in at] == [10, 50, 50, 10, None]


def test_a_soak_keeps_its_users() -> None:
    assert users_of_soak(3599, 20, 3600) == (20, 20)
    assert users_of_soak(3600, 20, 3600) is None


@pytest.mark.parametrize(("share", "expected"), [(0.5, 50.0), (0.99, 99.0), (1.0, 100.0)])
def test_a_percentile_is_at_most_two_percent_too_long(share: float, expected: float) -> None:
    found = times(*range(1, 101)).percentile(share)
    assert expected <= found <= expected * 1.02


def test_a_good_run_misses_nothing() -> None:
    verdict = Verdict(acknowledged=10, stored=10, lost=0, doubled=0)
    assert judge(10_000, 5, {"/v1/serve": times(*[10.0] * 200)}, verdict).missed == []


def test_a_run_names_each_objective_that_it_missed() -> None:
    verdict = Verdict(acknowledged=10, stored=9, lost=1, doubled=2)
    missed = judge(10_000, 6, {"/v1/serve": times(*[900.0] * 200)}, verdict).missed
    assert [word for word in ("failed", "p99", "stored", "twice") if word in " ".join(missed)] == [
        *("failed", "p99", "stored", "twice")
    ]


def test_a_task_that_raised_is_missed() -> None:
    (missed,) = judge(10_000, 0, {}, None, {"MailServer: KeyError('data')": 26}).missed
    assert missed == "MailServer: KeyError('data') ended 26 tasks of users: correct the load."


def test_a_worker_whose_last_calls_are_missing_is_missed() -> None:
    (missed,) = judge(10_000, 0, {}, None, lost_workers=1).missed
    assert missed == "1 workers did not report their last calls."


def test_a_run_without_calls_is_no_success() -> None:
    assert judge(0, 0, {}, None).missed == ["No call was made."]
