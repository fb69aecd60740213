"""What a slot's key may be."""

import pytest
from pydantic import ValidationError

from common.values.errors import Refused
from control.inventory.slots.rules import key_from_name
from control.inventory.slots.schemas import SlotCreate

GOOD = {
    "property_id": "01940b3e-0000-7000-8000-0000000000b1",
    "name": "Top",
    "formats": ["banner"],
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Article, top", "article-top"),
        ("  Cabeçalho – ÚNICO! ", "cabecalho-unico"),
        ("x" * 100, "x" * 64),
        ("x" * 63 + " y", "x" * 63),
        ("Demo", "demo"),
        ("Demo slot", "slot-demo-slot"),
        ("Demo " + "x" * 53 + " y", "slot-demo-" + "x" * 53),
    ],
)
def test_a_key_is_made_from_the_name(name: str, expected: str) -> None:
    assert key_from_name(name) == expected


@pytest.mark.parametrize("name", ["トップ", "!!!"])
def test_a_name_that_makes_no_key_asks_for_one(name: str) -> None:
    with pytest.raises(Refused) as caught:
        key_from_name(name)

    assert (caught.value.status, caught.value.param) == (422, "key")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("key", "Top"),
        ("key", "-top"),
        ("key", "top\n"),
        ("key", "x" * 65),
        ("key", "demo-always-fill"),
        ("formats", []),
        ("formats", ["banner", "banner"]),
        ("formats", ["popup"]),
        ("sizes", [{"width": 0, "height": 1}]),
        ("sizes", [{"width": 10_001, "height": 1}]),
        ("sizes", [{"width": 1, "height": 1}, {"width": 1, "height": 1}]),
        ("floor_cents", -1),
        ("refresh_seconds", 29),
        ("blocked_advertiser_domains", ["localhost"]),
        ("audio", {"max_ads": 1}),
        ("audio", {"max_duration_ms": 999}),
        ("audio", {"max_duration_ms": 600_001}),
        ("audio", {"max_duration_ms": 1000, "max_ads": 0}),
        ("audio", {"max_duration_ms": 1000, "max_ads": 21}),
    ],
)
def test_a_slot_field_out_of_bounds_is_refused(field: str, value: object) -> None:
    with pytest.raises(ValidationError):
        SlotCreate.model_validate(GOOD | {field: value})


def test_a_blocked_advertiser_may_be_named_by_a_url() -> None:
    blocked = ["https://Shop.Example.co.uk/x?y", "example.com"]
    slot = SlotCreate.model_validate(GOOD | {"blocked_advertiser_domains": blocked})
    assert slot.blocked_advertiser_domains == ["shop.example.co.uk", "example.com"]
