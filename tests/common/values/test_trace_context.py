"""Trace ids of deliveries, and the header of callers."""

import uuid
from base64 import urlsafe_b64encode

import pytest

from common.values.ids import new_id_at
from common.values.trace_context import (
    MARK_IN_TEXT,
    MARK_IN_TOKEN,
    MARK_IN_TOKEN_AT,
    SpanRef,
    delivery_span,
    is_marked,
    marked,
    parse_traceparent,
)

_TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
_SPAN = "00f067aa0ba902b7"
_INSTANT_MS = 1_764_300_000_000
_OWN = new_id_at(_INSTANT_MS).bytes


def test_a_marked_id_is_a_uuid_of_the_same_instant() -> None:
    own = uuid.UUID(bytes=marked(_OWN))

    assert is_marked(own.bytes)
    assert (own.version, own.variant) == (7, uuid.RFC_4122)
    assert own.int >> 80 == _INSTANT_MS


def test_the_56_low_bits_of_a_marked_id_stay_random() -> None:
    assert marked(_OWN)[9:] == _OWN[9:]


def test_the_mark_is_found_in_an_ids_text_and_in_a_token() -> None:
    own = marked(_OWN)
    token = urlsafe_b64encode(bytes(24) + own + bytes(92))

    assert MARK_IN_TEXT in str(uuid.UUID(bytes=own)).encode()
    assert token[MARK_IN_TOKEN_AT : MARK_IN_TOKEN_AT + 4] == MARK_IN_TOKEN


def test_another_id_has_no_mark() -> None:
    assert not is_marked(bytes(16))
    assert not is_marked(_OWN[:8] + b"\xbe" + _OWN[9:])


def test_the_same_facts_name_the_same_span() -> None:
    assert delivery_span(_OWN, "click", 5) == delivery_span(_OWN, "click", 5)
    assert delivery_span(_OWN, "click", 5).trace_id == int.from_bytes(_OWN)
    spans = {delivery_span(_OWN), delivery_span(_OWN, "click", 5), delivery_span(_OWN, "click", 6)}
    assert len(spans) == 3


@pytest.mark.parametrize(
    "text",
    [
        f"00-{_TRACE}-{_SPAN}-01",
        f"00-{_TRACE}-{_SPAN}-03",
        f" 00-{_TRACE}-{_SPAN}-01\t",
        f"cc-{_TRACE}-{_SPAN}-01",
        f"cc-{_TRACE}-{_SPAN}-01-what-comes-later",
    ],
)
def test_a_sampled_header_names_the_callers_span(text: str) -> None:
    assert parse_traceparent(text) == (SpanRef(int(_TRACE, 16), int(_SPAN, 16)), True)


@pytest.mark.parametrize("flags", ["00", "02", "fe"])
def test_a_header_may_say_that_its_span_is_not_sampled(flags: str) -> None:
    found = parse_traceparent(f"00-{_TRACE}-{_SPAN}-{flags}")

    assert found == (SpanRef(int(_TRACE, 16), int(_SPAN, 16)), False)


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "00",
        f"00-{_TRACE}-{_SPAN}-01-more",
        f"00-{_TRACE}-{_SPAN}-01-",
        f"cc-{_TRACE}-{_SPAN}-01more",
        f"ff-{_TRACE}-{_SPAN}-01",
        f"00-{_TRACE.upper()}-{_SPAN}-01",
        f"00-{'0' * 32}-{_SPAN}-01",
        f"00-{_TRACE}-{'0' * 16}-01",
        f"00-{_TRACE[1:]}-{_SPAN}-01",
        f"00-{_TRACE}-{_SPAN}-zz",
        f"00-{_TRACE}-{_SPAN}-٠١",
    ],
)
def test_any_other_header_is_ignored(text: str | None) -> None:
    assert parse_traceparent(text) is None
