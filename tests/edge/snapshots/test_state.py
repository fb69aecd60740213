"""A state is only ever what was published."""

from dataclasses import replace

import pytest

from common.snapshot.codec import SnapshotInvalid
from common.snapshot.messages import ObjectChange, encode_full, parse_full, parse_full_header
from common.snapshot.model import ObjectType
from edge.snapshots.state import parse_state
from tests.edge.snapshots.published import Published, a_slot


def test_a_full_state_is_read_back_unchanged() -> None:
    published = Published()
    published.put("home", "sports")
    state = parse_state(published.full())
    assert state.to_full() == published.full()
    assert len(state) == 2


def test_deltas_lead_to_the_state_that_was_published() -> None:
    published = Published()
    published.put("home", "sports")
    state = parse_state(published.full())
    for delta in (
        published.put("news"),
        published.put("home", refresh_seconds=30),
        published.delete("sports"),
        published.delete("never-was-there"),
    ):
        state.apply(delta)
        assert state.digest == delta.digest
    assert parse_state(published.full()).to_full().entries == state.to_full().entries


def test_an_object_named_twice_in_a_delta_ends_in_its_last_form() -> None:
    published = Published()
    published.put("home")
    state = parse_state(published.full())
    first = published.put("home", refresh_seconds=1).entries
    delta = published.put("home", refresh_seconds=2)
    state.apply(replace(delta, version=2, entries=(*first, *delta.entries)))
    assert state.digest == published.digest


def test_a_copy_is_not_changed_by_later_deltas() -> None:
    published = Published()
    published.put("home")
    state = parse_state(published.full())
    copy = state.to_full()
    state.apply(published.delete("home"))
    assert len(copy.entries) == 1


def test_a_state_is_forwarded_in_its_original_chunks() -> None:
    published = Published()
    published.put("home", "sports")
    header, chunks = encode_full(published.full())
    state = parse_state(parse_full(parse_full_header(header), chunks))

    assert encode_full(state.to_send()) == (header, chunks)
    assert state.to_send().entries == ()


def test_a_state_changed_by_a_delta_is_packed_again() -> None:
    published = Published()
    published.put("home", "sports")
    header, chunks = encode_full(published.full())
    state = parse_state(parse_full(parse_full_header(header), chunks))

    state.apply(published.delete("sports"))

    sent, packed = encode_full(state.to_send())
    assert parse_full(parse_full_header(sent), packed).entries == published.full().entries


def test_a_full_state_with_a_wrong_digest_is_refused() -> None:
    published = Published()
    published.put("home")
    with pytest.raises(SnapshotInvalid, match="digest"):
        parse_state(replace(published.full(), digest="f" * 64))


def test_a_full_state_that_names_an_object_twice_is_refused() -> None:
    published = Published()
    published.put("home")
    full = published.full()
    with pytest.raises(SnapshotInvalid, match="twice"):
        parse_state(replace(full, entries=full.entries * 2))


def test_a_full_state_that_deletes_is_refused() -> None:
    published = Published()
    gone = ObjectChange(ObjectType.SLOT, a_slot("home").id, None)
    with pytest.raises(SnapshotInvalid, match="deletes"):
        parse_state(replace(published.full(), entries=(gone,)))


def test_an_object_filed_under_another_id_is_refused() -> None:
    published = Published()
    published.put("home")
    state = parse_state(published.full())
    delta = published.put("sports")
    misfiled = delta.entries[0]._replace(id=a_slot("home").id)
    with pytest.raises(SnapshotInvalid, match="holds the body of"):
        state.apply(replace(delta, entries=(misfiled,)))


def test_a_delta_that_does_not_follow_is_refused() -> None:
    published = Published()
    published.put("home")
    state = parse_state(published.full())
    published.put("lost")
    with pytest.raises(SnapshotInvalid, match="follow"):
        state.apply(published.put("sports"))
