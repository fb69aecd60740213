"""Whatever is sent is understood, or refused with every fault named; nothing else comes of it."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.tracking.conversion import MAX_AHEAD_MS, MAX_PAST_MS
from common.values.environment import Environment
from common.values.errors import Refused
from edge.state.click_ids import ClickIds
from edge.tracking.conversion_body import parse_conversion_body, parse_conversion_query
from tests.support.builders import KEY_RING

NOW_MS = 1_800_000_000_000
FIELDS = ("click_id", "uid", "event_name", "value_cents", "currency", "order_id", "occurred_at")
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=140)
values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
    st.sampled_from(
        [
            "01936f0e-7d5c-7c2a-9f0b-5f2d8a4c1e77",
            "purchase",
            "EUR",
            "2027-01-15T08:00:00Z",
            "0001-01-01T00:00:00+23:59",
        ]
    ),
    st.lists(st.booleans(), max_size=2),
    st.dictionaries(texts, st.booleans(), max_size=2),
)

_CLICK_IDS = ClickIds(KEY_RING, Environment.LIVE)


def answer(parse: Callable[..., Any], *given: Any) -> Any:
    """What *parse* gives, or its refusal; anything else it raises is a fault of ours."""
    try:
        return parse(*given)
    except Refused as refused:
        return refused


@given(
    st.dictionaries(st.one_of(st.sampled_from(FIELDS), texts), values, max_size=8),
    st.none() | texts,
)
def test_a_body_is_accepted_or_refused_by_field(body: dict[str, Any], key: str | None) -> None:
    found = answer(parse_conversion_body, orjson.dumps(body), NOW_MS, key, _CLICK_IDS)
    sent = {name for name, value in body.items() if value is not None}
    if isinstance(found, Refused):
        named = {detail.param for detail in found.details}
        assert (found.status, sent - set(FIELDS) <= named, len(named) > 0) == (422, True, True)
        return
    assert sent <= set(FIELDS)
    assert (found.click_id is None) is not (found.uid is None)
    assert -MAX_AHEAD_MS <= NOW_MS - found.occurred_ms <= MAX_PAST_MS
    assert 1 <= len(found.event_name) <= 64
    assert "\0" not in (found.conversion.order_id or "")


@given(st.binary(max_size=30))
def test_a_body_of_thirty_bytes_is_refused(raw: bytes) -> None:
    found = answer(parse_conversion_body, raw, NOW_MS, None, _CLICK_IDS)
    assert found.status in {400, 422}


@given(st.lists(st.tuples(st.sampled_from(FIELDS), texts), max_size=8), texts)
def test_a_query_is_accepted_or_refused_by_parameter(
    pairs: list[tuple[str, str]], tail: str
) -> None:
    found = answer(parse_conversion_query, f"{urlencode(pairs)}&{tail}")
    if isinstance(found, Refused):
        assert (found.status, len(found.details) > 0) == (422, True)
        return
    name, conversion = found
    assert 1 <= len(name) <= 64
    assert conversion.value_cents is None or conversion.value_cents >= 0
    assert "\0" not in (conversion.order_id or "")


@pytest.mark.parametrize("order_id", ["A\n1", "A\u202e1", "A\u200b1"])
def test_an_order_id_with_invisible_characters_is_refused(order_id: str) -> None:
    body = {"uid": "reader-7", "event_name": "purchase", "order_id": order_id}

    with pytest.raises(Refused, match="visible characters"):
        parse_conversion_body(orjson.dumps(body), NOW_MS, None, _CLICK_IDS)
