"""What is read the quick way is what the adapter reads; where that would refuse, or bend a value, it gives nothing."""

import random
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from common.snapshot.codec import SnapshotInvalid, encode_object, parse_object, plan_of_type
from common.snapshot.decode_plan import OBJECT
from common.snapshot.fast_decode import decode_object
from common.snapshot.model import (
    TYPE_OF,
    AdRates,
    Budget,
    Campaign,
    FrequencyCap,
    Goal,
    ObjectType,
    Pace,
    Rate,
    Slot,
    SlotRates,
    SnapshotObject,
)
from common.values.enums import (
    CampaignStatus,
    EventKind,
    Format,
    PricingModel,
    Priority,
    SlotStatus,
)
from common.values.environment import Environment
from tests.common.snapshot.strategies import few, objects
from tests.support.by_source import load_source

_SOURCE = Path(__file__).parents[3] / "common" / "snapshot" / "fast_decode.py"

_CAMPAIGN = Campaign(
    id="c",
    account_id="a",
    property_ids=("p", "q"),
    environment=Environment.LIVE,
    status=CampaignStatus.ACTIVE,
    priority=Priority.AUCTION,
    pricing_model=PricingModel.CPC,
    bid_micros=1 << 50,
    start_at_ms=None,
    end_at_ms=5,
    timezone="Europe/Berlin",
    requires=(),
    spent=False,
    targeting='{"geo":{}}',
    budget=Budget(None, 7),
    goal=Goal(EventKind.CLICK, 3),
    frequency_caps=(FrequencyCap("ad", EventKind.IMPRESSION, 1, 60),) * 2,
    share_of_voice_percent=20,
)
_RATES = AdRates("a", Rate(1, 2), Rate(3, 4), (SlotRates("s", Rate(5, 6), Rate(7, 8)),))
_MANGLED: list[Any] = [
    None,
    True,
    1,
    1.0,
    "x",
    "active",
    [],
    ["x"],
    [1],
    [None],
    {},
    {"x": 1},
    [{}],
]


_read_by_source = load_source(_SOURCE).decode_object


def read(kind: ObjectType, values: object) -> Any:
    """What is compiled reads what its source reads."""
    found = decode_object(plan_of_type(kind), values)
    assert _read_by_source(plan_of_type(kind), values) == found
    return found


@few
@given(objects | st.sampled_from([_CAMPAIGN, _RATES, Pace("c", 1, 2, "2026-01-01", 3, 4)]))
def test_a_plainly_decoded_object_equals_the_encoded_one(item: SnapshotObject) -> None:
    found = read(TYPE_OF[type(item)], orjson.loads(encode_object(item)))

    assert found == item
    assert type(found) is type(item)


@few
@given(objects | st.just(_CAMPAIGN) | st.just(_RATES), st.sampled_from(_MANGLED), st.randoms())
def test_a_value_is_decoded_as_the_adapter_does_or_not_at_all(
    item: SnapshotObject, mangled: Any, rng: random.Random
) -> None:
    values = orjson.loads(encode_object(item))
    values[rng.choice(list(values))] = mangled

    found = read(TYPE_OF[type(item)], values)

    assert found is None or found == TypeAdapter(type(item)).validate_python(values)


def test_a_text_in_place_of_a_list_of_texts_is_not_read() -> None:
    values = orjson.loads(encode_object(_CAMPAIGN)) | {"property_ids": "p", "requires": "x"}

    assert read(ObjectType.CAMPAIGN, values) is None


@pytest.mark.parametrize("values", [None, [], "x", {}, {"id": "c"}])
def test_an_incomplete_object_is_not_decoded(values: object) -> None:
    assert read(ObjectType.CAMPAIGN, values) is None


def test_an_extra_field_is_not_decoded() -> None:
    values = orjson.loads(encode_object(_CAMPAIGN)) | {"new": 1}

    assert read(ObjectType.CAMPAIGN, values) is None
    with pytest.raises(SnapshotInvalid, match="unknown fields"):
        parse_object(ObjectType.CAMPAIGN, orjson.dumps(values))


def test_a_field_that_is_unknown_inside_is_not_read() -> None:
    values = orjson.loads(encode_object(_CAMPAIGN))
    values["budget"]["new"] = 1

    assert read(ObjectType.CAMPAIGN, values) is None


def test_objects_share_the_texts_that_name_the_same() -> None:
    one, other = (read(ObjectType.CAMPAIGN, orjson.loads(encode_object(_CAMPAIGN))) for _ in "ab")

    assert one.account_id is other.account_id
    assert one.property_ids[0] is other.property_ids[0]


def test_an_object_that_was_read_is_frozen() -> None:
    found = read(ObjectType.CAMPAIGN, orjson.loads(encode_object(_CAMPAIGN)))

    with pytest.raises(AttributeError):
        found.spent = True


def test_a_list_of_choices_is_a_tuple_of_members() -> None:
    slot = Slot("s", "p", "top", (Format.HTML,), (), 0, None, None, (), (), SlotStatus.ACTIVE)

    found = read(ObjectType.SLOT, orjson.loads(encode_object(slot)))

    assert found.formats[0] is Format.HTML


_STEP = plan_of_type(ObjectType.RATES).steps[0]


@pytest.mark.parametrize(
    "plan",
    [
        (AdRates,),
        (AdRates, [_STEP]),
        (AdRates, (_STEP[:5],)),
        (AdRates, (_STEP._replace(shape=99),)),
        (AdRates, (_STEP._replace(shape=OBJECT, inner=(AdRates, ((),))),)),
        (AdRates, ((_STEP.name, None, *_STEP[2:]),)),
    ],
    ids=[
        "no steps",
        "list of steps",
        "short step",
        "no such shape",
        "wrong plan inside",
        "no slot",
    ],
)
def test_a_plan_of_another_shape_is_refused(plan: Any) -> None:
    with pytest.raises((TypeError, AttributeError)):
        decode_object(plan, {"ad_id": "a"})
