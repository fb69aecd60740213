"""The bounds of a campaign's fields, and what a PATCH says."""

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from common.contract.conversion_models import ConversionBody
from control.demand.campaigns.rows import write
from control.demand.campaigns.schemas import CampaignCreate, CampaignPatch
from control.foundation.wire_types import given
from tests.support.rows import a_campaign_row

GOOD: dict[str, Any] = {
    "name": "Spring",
    "objective": "traffic",
    "pricing_model": "cpm",
    "bid_cents": 1,
}


@pytest.mark.parametrize("missing", ["name", "objective", "pricing_model", "bid_cents"])
def test_a_required_field_is_missed(missing: str) -> None:
    with pytest.raises(ValidationError) as caught:
        CampaignCreate.model_validate({k: v for k, v in GOOD.items() if k != missing})

    assert [(f["loc"], f["type"]) for f in caught.value.errors()] == [((missing,), "missing")]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("bid_cents", 0),
        ("bid_cents", 10_000_001),
        ("bid_cents", "5"),
        ("bid_cents", 5.0),
        ("bid_cents", True),
        ("name", ""),
        ("name", " "),
        ("name", "x" * 201),
        ("name", "a\x00b"),
        ("name", "a\nb"),
        ("name", None),
        ("objective", "fame"),
        ("pacing", "fast"),
        ("priority", "remnant"),
        ("start_at", "2026-03-01T00:00:00"),
        ("start_at", 1772323200),
        ("start_at", "9999-12-31T23:59:59-12:00"),
        ("timezone", "Mars/Olympus"),
        ("timezone", "../../etc/passwd"),
        ("budget", {"total_cents": 0}),
        ("budget", {"hourly_cents": 1}),
        ("goal", {"kind": "views", "total": 1}),
        ("share_of_voice_percent", 101),
        ("frequency_caps", [{"scope": "ad"}]),
        ("attribution", {"click_window_hours": 0}),
        ("attribution", {"conversion_events": ["Lead", "lead"]}),
        ("attribution", {"conversion_events": ["add to cart"]}),
        ("metadata", {"k": 1}),
        ("metadata", {"k": "x" * 501}),
        ("metadata", {str(n): "" for n in range(51)}),
        ("property_ids", []),
        ("property_ids", ["abc"]),
        ("external_ref", ""),
        ("status", "active"),
    ],
)
def test_a_value_out_of_bounds_is_refused(field: str, value: object) -> None:
    with pytest.raises(ValidationError):
        CampaignCreate.model_validate(GOOD | {field: value})


def test_an_instant_arrives_in_utc() -> None:
    body = CampaignCreate.model_validate(GOOD | {"start_at": "2026-03-01T00:00:00-03:00"})

    assert body.start_at == datetime(2026, 3, 1, 3, tzinfo=UTC)


def test_defaults_are_those_of_the_description() -> None:
    body = CampaignCreate.model_validate(GOOD)

    assert (body.pacing, body.priority) == ("even", "auction")
    assert body.attribution.model_dump() == {
        "click_window_hours": 720,
        "view_window_hours": 24,
        "conversion_events": [],
        "bill_in_session": False,
        "pixel_conversions_per_click": 1,
    }


def test_the_names_of_conversions_are_accepted_in_either_case() -> None:
    names = {"attribution": {"conversion_events": ["Purchase", "_x", ".9-"]}}
    created = CampaignCreate.model_validate(GOOD | names).attribution
    patched = CampaignPatch.model_validate(names).attribution

    assert created.conversion_events == ["purchase", "_x", ".9-"]
    assert given(patched) == {"conversion_events": ["purchase", "_x", ".9-"]}


def test_a_campaign_may_list_every_name_that_a_conversion_may_have() -> None:
    listed = CampaignCreate.model_json_schema()["$defs"]["Attribution"]["properties"]
    reported = ConversionBody.model_json_schema()["properties"]["event_name"]

    assert listed["conversion_events"]["items"]["pattern"] == reported["pattern"]


def test_an_empty_patch_changes_nothing() -> None:
    assert given(CampaignPatch.model_validate({})) == {}


def test_null_clears_a_field_that_may_be_empty() -> None:
    row = a_campaign_row(external_ref="a", goal={"kind": "clicks", "total": 1})

    write(row, given(CampaignPatch.model_validate({"external_ref": None, "goal": None})))

    assert (row.external_ref, row.goal) == (None, None)


@pytest.mark.parametrize("field", ["name", "bid_cents", "targeting", "metadata", "property_ids"])
def test_null_is_refused_where_a_field_is_never_empty(field: str) -> None:
    with pytest.raises(ValidationError):
        CampaignPatch.model_validate({field: None})


def test_a_patched_budget_merges() -> None:
    row = a_campaign_row(budget_total_cents=100, budget_daily_cents=10)

    write(row, given(CampaignPatch.model_validate({"budget": {"daily_cents": 20}})))

    assert (row.budget_total_cents, row.budget_daily_cents) == (100, 20)


def test_a_null_budget_clears_both_amounts() -> None:
    row = a_campaign_row(budget_total_cents=100, budget_daily_cents=10)

    write(row, given(CampaignPatch.model_validate({"budget": None})))

    assert (row.budget_total_cents, row.budget_daily_cents) == (None, None)


def test_patched_attribution_merges() -> None:
    row = a_campaign_row()

    write(row, given(CampaignPatch.model_validate({"attribution": {"view_window_hours": 0}})))

    assert (row.attribution["view_window_hours"], row.attribution["click_window_hours"]) == (0, 720)


def test_patched_targeting_replaces() -> None:
    row = a_campaign_row(targeting={"languages": ["pt"]})

    write(row, given(CampaignPatch.model_validate({"targeting": {"keywords": {"any": ["a"]}}})))

    assert row.targeting == {"keywords": {"any": ["a"]}}
