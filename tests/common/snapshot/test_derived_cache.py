"""A value derived from a snapshot is kept while the objects that it depends on stay the same."""

from dataclasses import replace

import pytest

from common.snapshot.derived_cache import MAX_VALUES, DerivedCache
from common.snapshot.model import Account, AdRates, Pace, Rate, SnapshotObject
from common.snapshot.snapshot import apply_entries, build_snapshot
from common.values.enums import AccountState
from common.values.environment import Environment
from tests.common.snapshot.strategies import entry_of

ONE = Account("one", AccountState.ACTIVE, stopped=False)
OTHER = replace(ONE, id="other")


def test_a_cached_value_survives_a_delta_about_other_objects() -> None:
    snapshot = build_snapshot(Environment.TEST, "e", 1, [ONE, OTHER])
    snapshot.derived.put("name", "worked out", [ONE.id])
    after = apply_entries(snapshot, 2, [entry_of(replace(OTHER, stopped=True))])
    assert after.derived.get("name") == "worked out"


def test_a_cached_value_is_dropped_with_its_source_objects() -> None:
    snapshot = build_snapshot(Environment.TEST, "e", 1, [ONE, OTHER])
    snapshot.derived.put("name", "worked out", [OTHER.id, ONE.id])
    after = apply_entries(snapshot, 2, [entry_of(replace(ONE, stopped=True))])
    assert after.derived.get("name") is None


def test_a_value_that_is_computed_again_and_again_takes_no_more_memory() -> None:
    snapshot = build_snapshot(Environment.TEST, "e", 1, [ONE, OTHER])
    sizes = set()
    for version in range(2, 50):
        snapshot.derived.put("name", "worked out", [OTHER.id, ONE.id])
        snapshot.derived.put("other", "worked out", [OTHER.id])
        sizes.add(
            sum(len(part) for part in snapshot.derived.owned_parts() if isinstance(part, dict))
        )
        changed = replace(ONE, stopped=version % 2 == 0)
        snapshot = apply_entries(snapshot, version, [entry_of(changed)])
    assert sizes == {3}


@pytest.mark.parametrize("changed", [Pace("one", 1), AdRates("one", Rate(1, 2), Rate(1, 2))])
def test_a_cached_value_survives_new_deliveries_and_rates(changed: SnapshotObject) -> None:
    snapshot = build_snapshot(Environment.TEST, "e", 1, [ONE])
    snapshot.derived.put("name", "worked out", [ONE.id])
    after = apply_entries(snapshot, 2, [entry_of(changed)])
    assert after.derived.get("name") == "worked out"


def test_a_value_derived_from_a_whole_snapshot_is_dropped_by_any_delta() -> None:
    snapshot = build_snapshot(Environment.TEST, "e", 1, [ONE, OTHER])
    snapshot.derived["name"] = "worked out"
    assert snapshot.derived.get("name") == "worked out"
    after = apply_entries(snapshot, 2, [])
    assert after.derived.get("name") is None


def test_an_older_snapshot_keeps_its_own_cache() -> None:
    snapshot = build_snapshot(Environment.TEST, "e", 1, [ONE])
    after = apply_entries(snapshot, 2, [])
    snapshot.derived.put("name", "of the old", [ONE.id])
    assert after.derived.get("name") is None


def test_a_full_cache_keeps_the_newest_generation_and_replaces_it_gradually() -> None:
    memory = DerivedCache()
    for number in range(MAX_VALUES + 1):
        memory.put(number, "worked out", [str(number % 100)])
    assert [memory.get(number) for number in (0, MAX_VALUES)] == [None, "worked out"]
    for number in range(MAX_VALUES - 1):
        memory.put(number, "worked out", [])
    names_and_values, about = 2 * MAX_VALUES, 2
    assert len(memory.owned_parts()) == names_and_values + about
