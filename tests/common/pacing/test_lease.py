"""The arithmetic of leases: what is free, and how it is shared out."""

from hypothesis import given
from hypothesis import strategies as st

from common.pacing.lease import (
    AHEAD_UNITS,
    Lease,
    LeaseRequest,
    fair_share,
    in_flight_micros,
    share_out,
)

UNIT = 1_000
WANTS = st.dictionaries(
    st.sampled_from("abcdefgh"),
    st.builds(
        LeaseRequest,
        st.integers(0, 50 * UNIT),
        st.integers(0, 50 * UNIT),
        st.integers(1, 5_000),
        st.booleans(),
    ),
    max_size=8,
)


@given(st.integers(-UNIT, 10_000 * UNIT), WANTS, st.integers(1, 5 * UNIT), st.integers(0, 20))
def test_no_more_is_granted_than_is_free(
    free: int, wants: dict[str, LeaseRequest], unit: int, workers: int
) -> None:
    share = fair_share(free, workers, unit_micros=unit)
    assert share * workers <= max(0, free)
    given = share_out(free, wants, unit_micros=unit, share_micros=share)
    assert sum(given.values()) <= max(0, free)
    assert given.keys() <= wants.keys()
    assert all(micros > 0 for micros in given.values())


@given(st.integers(1, 100), st.integers(1, 8))
def test_a_worker_without_a_lease_gets_a_unit_while_there_are_any(units: int, workers: int) -> None:
    wants = {f"w{number}": LeaseRequest(0, starved=True) for number in range(workers)}
    given = share_out(units * UNIT, wants, unit_micros=UNIT)
    assert len(given) == min(units, workers)
    assert min(given.values()) >= UNIT


def test_a_few_units_go_to_the_workers_with_least() -> None:
    wants = {"rich": LeaseRequest(5 * UNIT, 5 * UNIT), "poor": LeaseRequest(0, starved=True)}
    assert share_out(UNIT, wants, unit_micros=UNIT) == {"poor": UNIT}


def test_a_committing_worker_is_granted_its_expected_need() -> None:
    wants = {"busy": LeaseRequest(UNIT, 10 * UNIT, 1_000)}
    assert share_out(10_000 * UNIT, wants, unit_micros=UNIT) == {"busy": 79 * UNIT}


def test_a_worker_refused_again_gets_twice_as_much() -> None:
    held, given = 0, []
    for _ in range(4):
        more = share_out(10_000, {"w": LeaseRequest(held, starved=True)}, unit_micros=10)["w"]
        held += more
        given.append(held)
    assert given == [10, 20, 40, 80]


def test_a_fair_share_is_a_burst_or_an_equal_part_and_one_worker_leaves_half() -> None:
    shares = [fair_share(100 * UNIT, workers, unit_micros=UNIT) for workers in (1, 2, 3, 200)]
    assert shares == [50 * UNIT, 50 * UNIT, 33 * UNIT, 0]
    assert fair_share(10**9 * UNIT, 2, unit_micros=UNIT) == AHEAD_UNITS * UNIT


def test_a_lease_is_filled_up_to_its_share_when_half_of_it_is_gone() -> None:
    shares = {
        left: share_out(
            10_000 * UNIT,
            {"w": LeaseRequest(left * UNIT, UNIT)},
            unit_micros=UNIT,
            share_micros=64 * UNIT,
        )
        for left in (32, 31)
    }
    assert shares == {32: {}, 31: {"w": 33 * UNIT}}


def test_charges_above_commits_leave_nothing_in_flight() -> None:
    assert in_flight_micros(committed_micros=10, charged_micros=30) == 0


def test_a_merged_lease_has_the_maximum_of_each_count() -> None:
    lease = Lease(10, 5, 1)
    lease.merge_grant(Lease(8, 6, 0))
    assert (lease, lease.available_micros) == (Lease(10, 6, 1), 3)
