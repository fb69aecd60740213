"""Which messages the receiver adopts or ignores, and which make it pull."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.snapshot.messages import Delta, Heartbeat
from edge.snapshots.state import parse_state
from edge.snapshots.sync_state import KEPT_DELTAS, SyncResult, SyncState
from tests.edge.snapshots.published import Published


def a_receiver(published: Published) -> SyncState:
    return SyncState(parse_state(published.full()))


def a_world(*keys: str) -> Published:
    published = Published()
    published.put(*(keys or ("home",)))
    return published


def digest_of(receiver: SyncState) -> str:
    assert receiver.state is not None
    return receiver.state.digest


def test_the_next_delta_is_applied() -> None:
    published = a_world()
    receiver = a_receiver(published)
    assert receiver.take(published.put("sports"), 5_000) is SyncResult.APPLIED
    assert digest_of(receiver) == published.digest
    assert receiver.confirmed_ms == 5_000


def test_without_a_snapshot_the_receiver_pulls() -> None:
    published = a_world()
    assert SyncState().take(published.beat(), 1) is SyncResult.PULL


def test_a_repeated_delta_is_ignored() -> None:
    published = a_world()
    receiver = a_receiver(published)
    delta = published.put("sports")
    receiver.take(delta, 1)
    assert receiver.take(delta, 2) is SyncResult.IGNORED
    assert digest_of(receiver) == published.digest


def test_after_a_gap_the_receiver_pulls() -> None:
    published = a_world()
    receiver = a_receiver(published)
    published.put("lost")
    assert receiver.take(published.put("seen"), 1) is SyncResult.PULL


def test_a_heartbeat_reveals_a_lost_last_delta() -> None:
    published = a_world()
    receiver = a_receiver(published)
    published.put("lost")
    assert receiver.take(published.beat(), 1) is SyncResult.PULL


def test_a_heartbeat_of_our_version_confirms_it() -> None:
    published = a_world()
    receiver = a_receiver(published)
    assert receiver.take(published.beat(), 7_000) is SyncResult.CONFIRMED
    assert receiver.confirmed_ms == 7_000


def test_an_old_heartbeat_is_ignored() -> None:
    published = a_world()
    old = published.beat()
    published.put("sports")
    receiver = a_receiver(published)
    assert receiver.take(old, 1) is SyncResult.IGNORED


def test_a_delta_with_a_wrong_digest_changes_nothing() -> None:
    published = a_world()
    receiver = a_receiver(published)
    before = digest_of(receiver)
    wrong = replace(published.put("sports"), digest="0" * 64)
    assert receiver.take(wrong, 1) is SyncResult.PULL
    assert digest_of(receiver) == before
    assert receiver.refusal is not None


def test_a_delta_that_cannot_be_read_changes_nothing() -> None:
    published = a_world()
    receiver = a_receiver(published)
    before = digest_of(receiver)
    delta = published.put("sports")
    torn = replace(delta, entries=(delta.entries[0]._replace(body=b'{"id":'),))
    assert receiver.take(torn, 1) is SyncResult.PULL
    assert digest_of(receiver) == before


def test_after_a_change_of_epoch_the_receiver_pulls() -> None:
    published = a_world()
    receiver = a_receiver(published)
    published.restore("epoch-2")
    assert receiver.take(published.beat(), 1) is SyncResult.PULL


def test_another_epoch_replaces_a_newer_version() -> None:
    published = a_world()
    published.put("sports")
    receiver = a_receiver(published)
    published.restore("epoch-2")
    assert receiver.replace(parse_state(published.full()))
    assert receiver.state is not None
    assert (receiver.state.epoch, receiver.state.version) == ("epoch-2", 1)


def test_an_older_full_state_of_the_epoch_is_ignored() -> None:
    published = a_world()
    old = parse_state(published.full())
    published.put("sports")
    receiver = a_receiver(published)
    assert not receiver.replace(old)
    assert digest_of(receiver) == published.digest


def test_a_pulled_head_confirms_no_later_than_it_was_written() -> None:
    published = a_world()
    receiver = a_receiver(published)
    head = published.beat()
    assert receiver.take_head(head, head.at_ms + 60_000) is SyncResult.CONFIRMED
    assert receiver.confirmed_ms == head.at_ms


def test_a_pulled_head_that_did_not_move_confirms_nothing() -> None:
    published = a_world()
    receiver = a_receiver(published)
    head = published.beat()
    receiver.take_head(head, 10_000)
    confirmed_ms = receiver.confirmed_ms
    receiver.take_head(head, 20_000)
    assert receiver.confirmed_ms == confirmed_ms


def test_a_pulled_head_that_moved_confirms_now() -> None:
    published = a_world()
    receiver = a_receiver(published)
    receiver.take_head(published.beat(), 10_000)
    receiver.take_head(published.beat(), 20_000)
    assert receiver.confirmed_ms == 20_000


def test_a_clock_that_is_set_back_does_not_leave_a_confirmation_in_the_future() -> None:
    published = a_world()
    receiver = a_receiver(published)
    head = published.beat()
    receiver.take(head, 3_600_000)
    receiver.take_head(head, 10_000)
    assert receiver.confirmed_ms == 10_000
    receiver.take(published.beat(), 12_000)
    assert receiver.confirmed_ms == 12_000


def test_a_pulled_delta_does_not_change_the_age() -> None:
    published = a_world()
    receiver = a_receiver(published)
    assert receiver.take_pulled(published.put("sports")) is SyncResult.APPLIED
    assert receiver.confirmed_ms == 0


def test_deltas_are_returned_to_a_worker_slightly_behind() -> None:
    published = a_world()
    receiver = a_receiver(published)
    deltas = [published.put(f"slot-{number}") for number in range(3)]
    for delta in deltas:
        receiver.take(delta, 1)
    assert receiver.find_deltas("epoch-1", 2) == deltas[1:]
    assert receiver.find_deltas("epoch-1", 4) == []


@pytest.mark.parametrize(("epoch", "after"), [("epoch-1", 0), ("epoch-0", 3), ("epoch-1", 99)])
def test_a_worker_far_behind_or_in_another_epoch_gets_no_deltas(epoch: str, after: int) -> None:
    published = a_world()
    receiver = a_receiver(published)
    receiver.take(published.put("sports"), 1)
    assert receiver.find_deltas(epoch, after) is None


def test_kept_deltas_are_bounded() -> None:
    published = a_world()
    receiver = a_receiver(published)
    for number in range(KEPT_DELTAS + 1):
        receiver.take(published.put("home", refresh_seconds=number + 1), 1)
    assert receiver.find_deltas("epoch-1", 1) is None
    kept = receiver.find_deltas("epoch-1", 2)
    assert kept is not None
    assert len(kept) == KEPT_DELTAS


@settings(deadline=None)
@given(st.data())
def test_no_order_of_messages_goes_back_or_gives_an_unpublished_state(
    data: st.DataObject,
) -> None:
    published = a_world()
    digests = {1: published.digest}
    receiver = a_receiver(published)
    messages: list[Delta | Heartbeat] = [published.beat()]
    for number in range(6):
        messages.append(published.put(f"slot-{number % 4}", refresh_seconds=number + 1))
        messages.append(published.beat())
        digests[published.version] = published.digest
    order = data.draw(st.lists(st.sampled_from(messages), max_size=40))
    version = 1
    for message in order:
        receiver.take(message, 1)
        assert receiver.state is not None
        assert receiver.state.version >= version
        version = receiver.state.version
        assert receiver.state.digest == digests[version]
