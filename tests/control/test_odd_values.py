"""Whatever stands in a field, the answer is the caller's to understand: a success or a named refusal, never a fault."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from pydantic import ValidationError

from common.contract.operation import Operation
from control.billing.payouts.operations import CREATE as CREATE_PAYOUT
from control.billing.wallet.operations import CREATE_TOP_UP
from control.demand.ads.operations import CREATE as CREATE_AD
from control.demand.ads.operations import PATCH as PATCH_AD
from control.demand.campaigns.operations import CREATE as CREATE_CAMPAIGN
from control.demand.campaigns.operations import PATCH as PATCH_CAMPAIGN
from control.inventory.api_keys.integration_operations import CREATE_INTEGRATION
from control.inventory.api_keys.operations import CREATE_SDK
from control.inventory.properties.operations import CREATE as CREATE_PROPERTY
from control.inventory.properties.operations import PATCH as PATCH_PROPERTY
from control.inventory.slots.operations import CREATE as CREATE_SLOT
from control.inventory.slots.operations import PATCH as PATCH_SLOT
from tests.support.control_api import ControlApi, Person
from tests.support.resources import Customer

ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1.5,
    2**63,
    10**30,
    "",
    " ",
    "a\u0000b",
    "9999-12-31T23:59:59.999-12:00",
    "0001-01-01T00:00:00+14:00",
    "https://[",
    "https://a.example:٣/",
    "https://xn--a.example/",
    "xn--999999b.example",
    "a" * 64 + "é.example",
    "{0}{missing}%s",
    "𝒳" * 300,
    [],
    [None],
    [{}],
    [[[]]],
    {},
    {"": ""},
    {"\u0000": "a"},
    {"a": {"b": [1]}},
)
OPERATIONS = (
    CREATE_PROPERTY,
    PATCH_PROPERTY,
    CREATE_SLOT,
    PATCH_SLOT,
    CREATE_SDK,
    CREATE_INTEGRATION,
    CREATE_CAMPAIGN,
    PATCH_CAMPAIGN,
    CREATE_AD,
    PATCH_AD,
    CREATE_TOP_UP,
    CREATE_PAYOUT,
)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.id)
async def test_an_odd_value_is_no_fault_of_ours(
    api: ControlApi, owner: Person, operation: Operation
) -> None:
    path, body = await _good_call(Customer(api, owner), operation)
    headers = owner.headers | {"If-Match": "1"}

    for changed in _accepted(operation, body):
        answer = await api.http.request(operation.method, path, json=changed, headers=headers)
        assert answer.status_code < 500, (changed, answer.text)


@pytest.mark.parametrize("path", ["%00", "a" * 4000, "%F0%9F%98%80", "01940b3e-0000", "..%2f"])
async def test_an_odd_id_is_not_found(api: ControlApi, owner: Person, path: str) -> None:
    for kind in ("properties", "slots", "campaigns", "ads"):
        answer = await api.http.get(f"/v1/{kind}/{path}", headers=owner.headers)
        assert answer.status_code == 404, answer.text


def _accepted(operation: Operation, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The good body, and those with one odd value that the model lets through; it refuses the others as it should."""
    assert operation.body is not None
    yield body
    for field in operation.body.model_fields:
        for value in ODD:
            changed = body | {field: value}
            with suppress(ValidationError):
                operation.body.model_validate(changed)
                yield changed


async def _good_call(customer: Customer, operation: Operation) -> tuple[str, dict[str, Any]]:
    """The path, with a real object in it, and the example's body with real ids."""
    site = await customer.make_property()
    campaign = await customer.make_campaign(site["id"])
    ids = {
        "updateProperty": site["id"],
        "updateSlot": (await customer.make_slot(site["id"]))["id"],
        "updateCampaign": campaign["id"],
        "updateAd": (await customer.make_ad(campaign["id"]))["id"],
    }
    path = operation.path.format(id=ids.get(operation.id, ""))
    query = "?environment=live" if operation.query else ""
    real: dict[str, Any] = {
        "property_id": site["id"],
        "property_ids": [site["id"]],
        "campaign_id": campaign["id"],
    }
    assert operation.body is not None
    taken = {name: value for name, value in real.items() if name in operation.body.model_fields}
    return path + query, {**operation.body_example, **taken}
