"""What publish writes is what receive reads, and nothing that was damaged on the way is believed."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.snapshot.codec import SnapshotInvalid, encode_object, parse_object
from common.snapshot.messages import (
    CHUNK_BYTES,
    Delta,
    FullState,
    Heartbeat,
    ObjectChange,
    encode_delta,
    encode_full,
    encode_heartbeat,
    parse_full,
    parse_full_header,
    parse_message,
)
from common.snapshot.model import TYPE_OF, ObjectType, SnapshotObject
from tests.common.snapshot.strategies import entries, few, full_entries, objects

_DIGEST = "0" * 64
_BEAT = Heartbeat("epoch", 12, _DIGEST, 1_700_000_000_000)


@few
@given(objects)
def test_an_object_reads_back_to_the_same_bytes(item: SnapshotObject) -> None:
    body = encode_object(item)
    read = parse_object(TYPE_OF[type(item)], body)
    assert read == item
    assert encode_object(read) == body


@few
@given(st.lists(entries, max_size=6))
def test_a_delta_reads_back(items: list[ObjectChange]) -> None:
    delta = Delta("epoch", 7, _DIGEST, 5, tuple(items))
    assert parse_message(encode_delta(delta)) == delta


def test_a_heartbeat_reads_back() -> None:
    assert parse_message(encode_heartbeat(_BEAT)) == _BEAT


@few
@given(full_entries)
def test_a_full_state_reads_back(items: tuple[ObjectChange, ...]) -> None:
    full = FullState("epoch", 7, _DIGEST, items)
    header, chunks = encode_full(full)
    assert parse_full(parse_full_header(header), chunks) == full


def test_a_full_state_is_cut_into_chunks() -> None:
    body = b'{"id":"' + b"x" * 1000 + b'"}'
    items = tuple(ObjectChange(ObjectType.AD, str(number), body) for number in range(3000))
    header, chunks = encode_full(FullState("epoch", 7, _DIGEST, items))
    assert len(chunks) == parse_full_header(header).chunks == 4
    assert all(len(chunk) <= CHUNK_BYTES for chunk in chunks)
    assert parse_full(parse_full_header(header), chunks).entries == items


@few
@given(place=st.integers(0), flip=st.integers(1, 255))
def test_a_message_with_a_flipped_byte_is_refused(place: int, flip: int) -> None:
    raw = _flipped(encode_heartbeat(_BEAT), place, flip)
    with pytest.raises(SnapshotInvalid):
        parse_message(raw)


@few
@given(items=full_entries, place=st.integers(0), flip=st.integers(1, 255))
def test_a_full_header_with_a_flipped_byte_is_refused(
    items: tuple[ObjectChange, ...], place: int, flip: int
) -> None:
    header, _ = encode_full(FullState("epoch", 7, _DIGEST, items))
    with pytest.raises(SnapshotInvalid):
        parse_full_header(_flipped(header, place, flip))


@few
@given(items=full_entries.filter(bool), place=st.integers(0), flip=st.integers(1, 255))
def test_a_flipped_byte_in_a_chunk_never_gives_another_state(
    items: tuple[ObjectChange, ...], place: int, flip: int
) -> None:
    header, chunks = encode_full(FullState("epoch", 7, _DIGEST, items))
    damaged = [_flipped(chunks[0], place, flip), *chunks[1:]]
    try:
        read = parse_full(parse_full_header(header), damaged)
    except SnapshotInvalid:
        return
    assert read.entries == items


@few
@given(st.binary(max_size=200))
@pytest.mark.parametrize("parse", [parse_message, parse_full_header])
def test_garbage_is_refused_in_one_way(parse: Callable[[bytes], object], raw: bytes) -> None:
    with pytest.raises(SnapshotInvalid):
        parse(raw)


@few
@given(kind=st.sampled_from(ObjectType), body=st.binary(max_size=100))
def test_a_body_that_is_no_object_is_refused(kind: ObjectType, body: bytes) -> None:
    with pytest.raises(SnapshotInvalid):
        parse_object(kind, body)


def _flipped(raw: bytes, place: int, flip: int) -> bytes:
    changed = bytearray(raw)
    changed[place % len(raw)] ^= flip
    return bytes(changed)
