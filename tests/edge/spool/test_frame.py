"""Frames on disk: what is intact is found again, whatever stands around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.spool.frame import MAX_PAYLOAD_BYTES, encode_frame, find_frame

payloads = st.lists(st.binary(max_size=60).map(lambda tail: b'{"v":1,' + tail), max_size=8)


def _read_all(data: bytes) -> list[bytes]:
    found, offset = [], 0
    while (frame := find_frame(data, offset)) is not None:
        found.append(frame.payload)
        offset = frame.end
    return found


@given(payloads)
def test_frames_are_read_as_they_were_written(written: list[bytes]) -> None:
    assert _read_all(b"".join(encode_frame(payload) for payload in written)) == written


@given(payloads, st.data())
def test_a_flipped_bit_costs_one_frame_at_most(written: list[bytes], data: st.DataObject) -> None:
    raw = bytearray(b"".join(encode_frame(payload) for payload in written))
    if raw:
        place = data.draw(st.integers(0, len(raw) - 1))
        raw[place] ^= 1 << data.draw(st.integers(0, 7))
    found = _read_all(bytes(raw))
    assert len(found) >= len(written) - 1
    assert all(payload in written for payload in found)


@given(payloads, st.data())
def test_a_torn_tail_costs_only_the_torn_frame(written: list[bytes], data: st.DataObject) -> None:
    frames = [encode_frame(payload) for payload in written]
    raw = b"".join(frames)
    cut = data.draw(st.integers(0, len(raw)))
    whole, size = 0, 0
    for frame in frames:
        size += len(frame)
        whole += size <= cut
    assert _read_all(raw[:cut]) == written[:whole]


@given(payloads, st.binary(max_size=200))
def test_garbage_before_frames_hides_none(written: list[bytes], garbage: bytes) -> None:
    raw = garbage + b"".join(encode_frame(payload) for payload in written)
    assert _read_all(raw)[-len(written) or len(raw) :] == written


def test_a_stretch_of_zeros_is_no_frame() -> None:
    assert find_frame(bytes(4096), 0) is None


def test_a_payload_that_no_reader_would_accept_is_not_written() -> None:
    with pytest.raises(ValueError, match="is over"):
        encode_frame(bytes(MAX_PAYLOAD_BYTES + 1))
