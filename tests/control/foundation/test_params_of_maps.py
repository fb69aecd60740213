"""A fault in a map names the key as it was sent."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from common.contract.validation_errors import refusal_of
from control.demand.ads.schemas import AdPatch
from control.demand.campaigns.schemas import CampaignPatch
from control.inventory.properties.schemas import PropertyPatch

ID = "0198a0f0-0000-7000-8000-000000000001"
LONG = "a" * 65


@pytest.mark.parametrize(
    ("model", "body", "param", "code"),
    [
        (CampaignPatch, {"metadata": {"good": "x", LONG: "x"}}, f"metadata.{LONG}", "length"),
        (CampaignPatch, {"metadata": {LONG: {}}}, f"metadata.{LONG}", "length"),
        (CampaignPatch, {"metadata": {"[key]": 5}}, "metadata.[key]", "type"),
        (AdPatch, {"asset_ids": {"IMAGE": ID}}, "asset_ids.IMAGE", "format"),
        (PropertyPatch, {"sdk": {"min": {"foo": "1"}}}, "sdk.min.foo", "not_allowed"),
        (PropertyPatch, {"sdk": {"flags": {"Dark": True}}}, "sdk.flags.Dark", "format"),
        (
            PropertyPatch,
            {"sdk": {"flags": {"several_slots": True}}},
            "sdk.flags.several_slots",
            "reserved",
        ),
        (PropertyPatch, {"sdk": {"flags": {"dark": 1}}}, "sdk.flags.dark", "type"),
        (PropertyPatch, {"sdk": {"flags": {"dark": None}}}, "sdk.flags.dark", "type"),
        (PropertyPatch, {"sdk": {"flags": {"dark": "x" * 201}}}, "sdk.flags.dark", "length"),
    ],
)
def test_the_fault_of_a_map_names_its_key(
    model: type[BaseModel], body: dict[str, Any], param: str, code: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(body)

    found = {(one.param, one.code) for one in refusal_of(caught.value, body).details}
    assert (param, code) in found
    assert {one[0] for one in found} == {param}
