"""Cursors and pages."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.service.secrets import KeyRing
from common.values.errors import ErrorCode, Refused
from control.foundation.cursors import encode_cursor, page, parse_cursor

_KEYS = KeyRing("k1", {"k1": b"1" * 32})
_VALUES = st.lists(st.one_of(st.integers(-(2**53), 2**53), st.text(), st.none()), max_size=5)


@given(_VALUES, st.text(max_size=50))
def test_cursor_is_decoded_as_it_was_encoded(values: list[object], kind: str) -> None:
    assert parse_cursor(_KEYS, kind, encode_cursor(_KEYS, kind, values)) == values


@given(st.text(max_size=80))
def test_invented_cursor_is_invalid(text: str) -> None:
    with pytest.raises(Refused) as refused:
        parse_cursor(_KEYS, "campaigns", text)
    assert refused.value.code is ErrorCode.CURSOR_INVALID


@given(st.integers(0, 10_000), st.integers(1, 255))
def test_changed_cursor_is_invalid(position: int, change: int) -> None:
    cursor = encode_cursor(_KEYS, "campaigns", ["019a7c1e-5b3e-7c10-9a53-0d7f4c1f3a10"])
    raw = bytearray(cursor.encode())
    raw[position % len(raw)] ^= change
    if raw == cursor.encode():
        return

    with pytest.raises(Refused):
        parse_cursor(_KEYS, "campaigns", raw.decode("latin-1"))


def test_cursor_of_another_list_is_invalid() -> None:
    cursor = encode_cursor(_KEYS, "campaigns:live", ["x"])

    with pytest.raises(Refused):
        parse_cursor(_KEYS, "campaigns:test", cursor)


def test_cursor_outlives_the_rotation_of_its_key() -> None:
    cursor = encode_cursor(_KEYS, "ads", [1])
    rotated = replace(_KEYS, active="k2", keys={**_KEYS.keys, "k2": b"2" * 32})

    assert parse_cursor(rotated, "ads", cursor) == [1]


def test_page_with_one_extra_row_has_a_cursor_after_its_last() -> None:
    found = page([1, 2, 3], 2, str, lambda row: f"after {row}")

    assert found.data == ["1", "2"]
    assert found.has_more
    assert found.next_cursor == "after 2"


def test_page_that_ends_has_no_cursor() -> None:
    found = page([1, 2], 2, str, lambda row: f"after {row}")

    assert not found.has_more
    assert found.next_cursor is None
