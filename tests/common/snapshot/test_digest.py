"""Two sides that agree on the digest agree on every byte, whatever way each came there."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from common.snapshot.digest import (
    EMPTY,
    moved,
    object_hash,
    state_digest,
    to_text,
)
from common.snapshot.messages import ObjectChange
from tests.common.snapshot.strategies import few, full_entries


@few
@given(state=full_entries, rng=st.randoms(use_true_random=False))
def test_digest_does_not_depend_on_order(state: tuple[ObjectChange, ...], rng: Random) -> None:
    shuffled = list(state)
    rng.shuffle(shuffled)
    assert state_digest(shuffled) == state_digest(state)


@few
@given(before=full_entries, after=full_entries)
def test_digest_moved_step_by_step_is_that_of_the_final_state(
    before: tuple[ObjectChange, ...], after: tuple[ObjectChange, ...]
) -> None:
    digest = state_digest(before)
    for entry in before:
        digest = moved(digest, removed=_hash(entry))
    assert digest == EMPTY
    for entry in after:
        digest = moved(digest, added=_hash(entry))
    assert digest == state_digest(after)


@few
@given(state=full_entries.filter(bool), place=st.integers(0), flip=st.integers(1, 255))
def test_digest_changes_with_any_byte(
    state: tuple[ObjectChange, ...], place: int, flip: int
) -> None:
    first, *rest = state
    body = bytearray(first.body or b"")
    body[place % len(body)] ^= flip
    changed = ObjectChange(first.type, first.id, bytes(body))
    assert state_digest([changed, *rest]) != state_digest(state)


@few
@given(st.integers(0, (1 << 256) - 1))
def test_digest_text_is_64_hex_digits(digest: int) -> None:
    assert len(to_text(digest)) == 64
    assert int(to_text(digest), 16) == digest


def _hash(entry: ObjectChange) -> int:
    return object_hash(entry.type, entry.id, entry.body or b"")
