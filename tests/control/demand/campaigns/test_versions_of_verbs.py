"""A verb heeds `If-Match` where it comes: nobody starts or approves what is not what they saw."""

import httpx
import pytest

from tests.support.control_api import ControlApi, Person, code_of
from tests.support.resources import Customer, demand_review, params_of


async def act(customer: Customer, path: str, version: str) -> httpx.Response:
    return await customer.post(path, headers={**customer.headers, "If-Match": version})


async def path_of(customer: Customer, kind: str) -> str:
    site = await customer.make_property()
    campaign = await customer.make_campaign(site["id"])
    if kind == "campaigns":
        return f"/v1/campaigns/{campaign['id']}"
    return f"/v1/ads/{(await customer.make_ad(campaign['id']))['id']}"


@pytest.mark.parametrize("kind", ["campaigns", "ads"])
async def test_a_verb_for_an_older_version_is_refused(
    api: ControlApi, owner: Person, kind: str
) -> None:
    customer = Customer(api, owner)
    path = await path_of(customer, kind)
    await customer.patch(path, 1, {"name": "Changed since"})

    stale = await act(customer, f"{path}/activate", '"1"')
    odd = await act(customer, f"{path}/activate", "one")
    meanwhile = (await customer.get(path)).json()
    fresh = await act(customer, f"{path}/activate", '"2"')

    assert (stale.status_code, code_of(stale)) == (412, "version_conflict")
    assert stale.headers["etag"] == '"2"'
    assert (odd.status_code, params_of(odd)) == (422, ["If-Match"])
    assert (meanwhile["status"], meanwhile["version"]) == ("draft", 2)
    assert (fresh.status_code, fresh.json()["status"]) == (200, "active")


@pytest.mark.parametrize("kind", ["campaigns", "ads"])
async def test_a_version_changed_since_the_review_is_not_approved(
    api: ControlApi, kind: str
) -> None:
    person = await api.sign_up()
    await demand_review(api, person)
    customer = Customer(api, person)
    path = await path_of(customer, kind)
    await customer.post(f"{path}/activate")

    stale = await act(customer, f"{path}/approve", "1")
    fresh = await act(customer, f"{path}/approve", "2")

    assert (stale.status_code, code_of(stale)) == (412, "version_conflict")
    assert (fresh.status_code, fresh.json()["status"]) == (200, "active")
