"""A snapshot moved by deltas is the snapshot built of where they lead."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.snapshot.codec import SnapshotInvalid, encode_object
from common.snapshot.defaults import default_slot
from common.snapshot.messages import ObjectChange
from common.snapshot.model import Account, ObjectType, SnapshotObject
from common.snapshot.snapshot import Snapshot, apply_entries, build_snapshot, parse_entries
from common.values.enums import AccountState
from common.values.environment import Environment
from tests.common.snapshot.strategies import entries, entry_of, few, full_entries

_ACCOUNT = Account("a", AccountState.ACTIVE, stopped=False)


def _snapshot(version: int, *objects: SnapshotObject) -> Snapshot:
    return build_snapshot(Environment.TEST, "e", version, objects)


def _unambiguous(state: dict[tuple[ObjectType, str], ObjectChange]) -> bool:
    """Slot keys are unique in a property, as the database sees to."""
    slots = parse_entries(e for (kind, _), e in state.items() if kind is ObjectType.SLOT)
    places = {(slot.property_id, slot.key) for slot in _snapshot(0, *slots).slots.values()}
    return len(places) == len(slots)


@few
@given(start=full_entries, deltas=st.lists(st.lists(entries, max_size=5), max_size=4))
def test_apply_gives_the_snapshot_of_the_final_state(
    start: tuple[ObjectChange, ...], deltas: list[list[ObjectChange]]
) -> None:
    state = {(entry.type, entry.id): entry for entry in start}
    if not _unambiguous(state):
        return
    moved = _snapshot(1, *parse_entries(start))
    for version, delta in enumerate(deltas, 2):
        after = dict(state)
        for entry in delta:
            after.pop((entry.type, entry.id), None)
            if entry.body is not None:
                after[(entry.type, entry.id)] = entry
        if not _unambiguous(after):
            continue
        state = after
        before = moved
        kept = _snapshot(before.version, *_objects(before))
        moved = apply_entries(before, version, delta)
        assert before == kept
        assert moved == _snapshot(version, *parse_entries(state.values()))


def _objects(snapshot: Snapshot) -> list[SnapshotObject]:
    return [
        *snapshot.accounts.values(),
        *snapshot.properties.values(),
        *snapshot.slots.values(),
        *snapshot.keys_by_hash.values(),
        *snapshot.campaigns.values(),
        *snapshot.ads.values(),
    ]


def test_a_snapshot_is_unchanged_by_deltas_applied_to_it() -> None:
    first = _snapshot(1, _ACCOUNT)
    second = apply_entries(first, 2, [ObjectChange(ObjectType.ACCOUNT, "a", None)])
    third = apply_entries(second, 3, [entry_of(replace(_ACCOUNT, stopped=True))])
    assert first.accounts == {"a": _ACCOUNT}
    assert (second.accounts, second.accounts.get("a")) == ({}, None)
    assert third.accounts["a"].stopped


def test_two_deltas_applied_to_one_snapshot_are_independent() -> None:
    first = _snapshot(1, _ACCOUNT)
    gone = apply_entries(first, 2, [ObjectChange(ObjectType.ACCOUNT, "a", None)])
    stopped = apply_entries(first, 2, [entry_of(replace(_ACCOUNT, stopped=True))])
    assert gone.accounts == {}
    assert stopped.accounts["a"].stopped
    assert not first.accounts["a"].stopped


def test_a_slot_that_briefly_takes_anothers_key_in_a_delta_leaves_it_to_the_other() -> None:
    top = default_slot("1", "p", "top")
    passing = replace(top, id="2")
    side = replace(passing, key="side")
    moved = apply_entries(_snapshot(1, top), 2, [entry_of(passing), entry_of(side)])
    assert moved == _snapshot(2, top, side)


def test_two_slots_may_swap_their_keys_in_one_delta() -> None:
    top, side = default_slot("1", "p", "top"), default_slot("2", "p", "side")
    swapped = [replace(top, key="side"), replace(side, key="top")]
    moved = apply_entries(_snapshot(1, top, side), 2, [entry_of(slot) for slot in swapped])
    assert moved == _snapshot(2, *swapped)


def test_apply_refuses_a_body_that_belongs_to_another_id() -> None:
    entry = ObjectChange(ObjectType.ACCOUNT, "b", encode_object(_ACCOUNT))
    with pytest.raises(SnapshotInvalid, match="holds the body of a"):
        apply_entries(_snapshot(1), 2, [entry])


def test_apply_refuses_an_object_with_a_field_it_does_not_know() -> None:
    body = encode_object(_ACCOUNT)[:-1] + b',"zeal":1}'
    with pytest.raises(SnapshotInvalid, match="zeal"):
        apply_entries(_snapshot(1), 2, [ObjectChange(ObjectType.ACCOUNT, "a", body)])


def test_a_full_state_may_not_delete() -> None:
    with pytest.raises(SnapshotInvalid, match="deletes nothing"):
        parse_entries([ObjectChange(ObjectType.ACCOUNT, "a", None)])
