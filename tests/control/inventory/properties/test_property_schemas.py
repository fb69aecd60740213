"""Names, origins, ranges and bounds of a property."""

import re
from typing import Any

import pytest
from pydantic import ValidationError

from common.values.errors import Refused
from control.foundation.wire_types import given
from control.inventory.properties import rules
from control.inventory.properties.operations import PATCH
from control.inventory.properties.rows import write
from control.inventory.properties.schemas import PropertyCreate, PropertyList, PropertyPatch
from control.storage.tables.properties import PropertyRow

GOOD: dict[str, Any] = {"name": "News", "kind": "web", "domain": "news.example.com"}


def a_row(**columns: Any) -> PropertyRow:
    return PropertyRow(
        **({"kind": "web", "domain": "a.example.com", "status": "verified"} | columns)
    )


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        ("News.Example.COM", "news.example.com"),
        ("news.example.com.", "news.example.com"),
        ("jornal.são-paulo.example", "jornal.xn--so-paulo-rza.example"),
        ("Straße.de", "xn--strae-oqa.de"),
        ("faß.example。com", "xn--fa-hia.example.com"),
        ("ｅｘａｍｐｌｅ.com", "example.com"),
        ("xn--strae-oqa.de", "xn--strae-oqa.de"),
        ("https://News.Example.com/path", "news.example.com"),
        ("news.example.com:8443/path?a#b", "news.example.com"),
        ("https://jornal.são-paulo.example", "jornal.xn--so-paulo-rza.example"),
        ("https://news.example.com ", "news.example.com"),
        (" news.example.com\t", "news.example.com"),
    ],
)
def test_a_domain_comes_in_one_spelling(domain: str, expected: str) -> None:
    assert PropertyCreate.model_validate(GOOD | {"domain": domain}).domain == expected
    assert given(PropertyPatch.model_validate({"domain": domain})) == {"domain": expected}
    assert PropertyList.model_validate({"domain": domain}).domain == expected


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("https://News.example.com", "https://news.example.com"),
        ("https://news.example.com:443", "https://news.example.com"),
        ("https://news.example.com:8443", "https://news.example.com:8443"),
        ("http://localhost:3000", "http://localhost:3000"),
    ],
)
def test_an_origin_comes_as_browsers_send_it(origin: str, expected: str) -> None:
    assert PropertyCreate.model_validate(GOOD | {"allowed_origins": [origin]}).allowed_origins == [
        expected
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("domain", "localhost"),
        ("domain", " "),
        ("domain", "news.example.com x"),
        ("domain", "192.0.2.1"),
        ("domain", "https://"),
        ("domain", "https://localhost/path"),
        ("domain", "https://192.0.2.1/path"),
        ("domain", "https://news.example.com" + "/path" * 500),
        ("domain", "news..example.com"),
        ("domain", "a" * 64 + ".example"),
        ("domain", "*.example.com"),
        ("domain", "xn--a.example.com"),
        ("domain", "a\u200d.example.com"),
        ("domain", "☃.example.com"),
        ("domain", "१२७.0.0.1"),
        ("bundle_id", "com example"),
        ("allowed_origins", ["http://news.example.com"]),
        ("allowed_origins", ["https://news.example.com/"]),
        ("allowed_origins", ["https://a@news.example.com"]),
        ("allowed_origins", ["*"]),
        ("allowed_origins", ["null"]),
        ("excluded_ip_ranges", ["10.0.0.1/8"]),
        ("excluded_ip_ranges", ["10.0.0.0/33"]),
        ("excluded_ip_ranges", ["office"]),
        ("timezone", "UTC+3"),
        ("token_ttl_seconds", 4),
        ("token_ttl_seconds", 86_401),
        ("consent_policy", "whatever"),
        ("rate_limits", {"serve_per_key_s": 0}),
        ("payout", {"share_percent": 101}),
        ("sdk", {"min": {"windows": "1.0"}}),
        ("sdk", {"min": {"web": "v1"}}),
        ("sdk", {"flags": {"several_slots": False}}),
        ("sdk", {"flags": {"Sticky": True}}),
        ("sdk", {"flags": {"sticky": 1}}),
        ("kind", "billboard"),
        ("status", "verified"),
    ],
)
def test_a_property_field_out_of_bounds_is_refused(field: str, value: object) -> None:
    with pytest.raises(ValidationError):
        PropertyCreate.model_validate(GOOD | {field: value})


def test_a_range_with_host_bits_is_refused_with_the_intended_range() -> None:
    with pytest.raises(ValidationError, match=r"Use 10\.0\.0\.0/8"):
        PropertyCreate.model_validate(GOOD | {"excluded_ip_ranges": ["10.0.0.1/8"]})


@pytest.mark.parametrize(
    ("columns", "param"),
    [
        ({"domain": None}, "domain"),
        ({"bundle_id": "com.example"}, "bundle_id"),
        ({"kind": "app"}, "bundle_id"),
        ({"kind": "ctv", "domain": None}, "bundle_id"),
        ({"kind": "audio", "domain": None}, "domain"),
    ],
)
def test_a_kind_needs_its_name(columns: dict[str, Any], param: str) -> None:
    with pytest.raises(Refused) as caught:
        rules.check_names(a_row(**columns))

    assert caught.value.param == param


def test_a_missing_and_an_extra_name_are_reported_together() -> None:
    with pytest.raises(Refused) as caught:
        rules.check_names(a_row(domain=None, bundle_id="com.example"))

    found = [(detail.param, detail.code) for detail in caught.value.details]
    assert found == [("domain", "required"), ("bundle_id", "not_for_kind")]


@pytest.mark.parametrize(
    "columns", [{}, {"kind": "app", "bundle_id": "com.example"}, {"kind": "email"}]
)
def test_a_kind_with_its_name_passes(columns: dict[str, Any]) -> None:
    rules.check_names(a_row(**columns))


def test_another_domain_takes_the_verification_away() -> None:
    row = a_row()

    assert rules.unverified_by(row, domain="b.example.com", bundle_id=None)
    assert not rules.unverified_by(row, domain="a.example.com", bundle_id=None)


def test_a_suspended_property_stays_suspended_when_it_moves() -> None:
    row = a_row(status="suspended")

    assert not rules.unverified_by(row, domain="b.example.com", bundle_id=None)


def test_patched_rate_limits_merge() -> None:
    row = a_row(rate_limits={"serve_per_key_s": 1, "serve_per_ip_s": 2})

    write(row, given(PropertyPatch.model_validate({"rate_limits": {"serve_per_ip_s": 3}})))

    assert row.rate_limits == {"serve_per_key_s": 1, "serve_per_ip_s": 3}


def test_the_description_names_the_values_that_a_patch_merges() -> None:
    sentences = PATCH.description.split(". ")
    (sentence,) = [one for one in sentences if " are merged field by field" in one]
    named = re.findall(r"`(\w+)`", sentence.split(" are merged ")[0])

    assert named == [name for name in PropertyPatch.model_fields if _is_merged(name)]


def _is_merged(name: str) -> bool:
    row = a_row(**{name: {"kept": 1}})
    try:
        write(row, given(PropertyPatch.model_validate({name: {}})))
    except ValidationError:
        return False
    return bool(getattr(row, name) == {"kept": 1})
