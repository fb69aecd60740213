"""What can be changed of a key, how long it lasts, and how many there may be."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from common.values.clock import to_iso
from control.inventory.api_keys.rules import LONGEST_LIFE, MAX_ACTIVE
from control.outbox.objects import TOMBSTONE_RETENTION
from tests.support.control_api import ControlApi, Person, bearer, code_of
from tests.support.resources import Customer, made, params_of

KINDS = ("sdk-keys", "integration-keys")
BODIES: dict[str, dict[str, Any]] = {
    "sdk-keys": {"kind": "secret"},
    "integration-keys": {"scopes": ["campaign:read"]},
}
every_kind = pytest.mark.parametrize("kind", KINDS)


async def _make(customer: Customer, kind: str, site: str, **changes: Any) -> dict[str, Any]:
    body = {"property_id": site, "environment": "live", "name": "Server"} | BODIES[kind]
    return made(await customer.post(f"/v1/{kind}", body | changes))


async def _site(customer: Customer) -> str:
    return str((await customer.make_property())["id"])


@every_kind
async def test_a_key_is_read_with_its_version_and_without_its_text(
    api: ControlApi, owner: Person, kind: str
) -> None:
    customer = Customer(api, owner)
    key = await _make(customer, kind, await _site(customer))

    answer = await customer.get(f"/v1/{kind}/{key['id']}")

    assert answer.headers["etag"] == '"1"'
    assert key["key"] not in answer.text
    assert answer.json()["name"] == "Server"


@every_kind
async def test_name_and_expiry_can_be_changed_and_reset(
    api: ControlApi, owner: Person, kind: str
) -> None:
    customer = Customer(api, owner)
    key = await _make(customer, kind, await _site(customer))
    path, soon = f"/v1/{kind}/{key['id']}", to_iso(api.control.clock.now() + timedelta(days=1))

    changed = await customer.patch(path, 1, {"name": "Lisbon", "expires_at": soon})
    back = await customer.patch(path, 2, {"expires_at": None})

    assert (changed.json()["name"], changed.json()["expires_at"]) == ("Lisbon", soon)
    assert changed.headers["etag"] == '"2"'
    assert (back.json()["name"], back.json()["expires_at"]) == ("Lisbon", None)


@every_kind
async def test_a_change_of_an_outdated_version_is_refused(
    api: ControlApi, owner: Person, kind: str
) -> None:
    customer = Customer(api, owner)
    key = await _make(customer, kind, await _site(customer))
    path = f"/v1/{kind}/{key['id']}"
    await customer.patch(path, 1, {"name": "Lisbon"})

    late = await customer.patch(path, 1, {"name": "Porto"})

    assert (late.status_code, code_of(late)) == (412, "version_conflict")
    assert (await customer.get(path)).json()["name"] == "Lisbon"


@every_kind
async def test_a_revoked_key_cannot_be_changed(api: ControlApi, owner: Person, kind: str) -> None:
    customer = Customer(api, owner)
    key = await _make(customer, kind, await _site(customer))
    path = f"/v1/{kind}/{key['id']}"
    revoked = await customer.post(f"{path}/revoke")

    answer = await customer.patch(path, revoked.json()["version"], {"name": "Lisbon"})

    assert (answer.status_code, code_of(answer)) == (409, "invalid_state")


@every_kind
async def test_a_key_may_end_in_the_future_and_within_five_years(
    api: ControlApi, owner: Person, kind: str
) -> None:
    customer = Customer(api, owner)
    site, now = await _site(customer), api.control.clock.now()
    body = {"property_id": site, "environment": "live", "name": "Server"} | BODIES[kind]

    for instant in (now - timedelta(seconds=1), now + LONGEST_LIFE + timedelta(days=1)):
        answer = await customer.post(f"/v1/{kind}", body | {"expires_at": to_iso(instant)})
        assert params_of(answer) == ["expires_at"]
    key = await _make(customer, kind, site, expires_at=to_iso(now + timedelta(days=365)))
    assert (key["status"], key["expires_at"]) == ("active", to_iso(now + timedelta(days=365)))


async def test_an_expired_key_is_refused_and_listed_as_expired(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    past = api.control.clock.now() - timedelta(seconds=1)
    key = await api.add_key(owner, expires_at=past)

    refused = await api.http.get("/v1/me", headers=key.headers)
    listed = await customer.get(
        f"/v1/integration-keys?property_id={key.property_id}&status=expired"
    )
    path = f"/v1/integration-keys/{key.id}"
    changed = await customer.patch(path, 1, {"expires_at": None})

    assert (refused.status_code, code_of(refused)) == (403, "key_revoked")
    assert [item["id"] for item in listed.json()["data"]] == [key.id]
    assert code_of(changed) == "invalid_state"


async def test_a_list_is_filtered_by_kind_and_state(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await _site(customer)
    secret = await customer.make_sdk_key(site, kind="secret")
    public = await customer.make_sdk_key(site)
    gone = await customer.make_sdk_key(site, environment="test")
    await customer.post(f"/v1/sdk-keys/{gone['id']}/revoke")

    async def ids(filters: str) -> list[str]:
        answer = await customer.get(f"/v1/sdk-keys?property_id={site}&{filters}")
        return [item["id"] for item in answer.json()["data"]]

    assert await ids("kind=secret") == [secret["id"]]
    assert await ids("status=active") == [public["id"], secret["id"]]
    assert await ids("status=revoked") == [gone["id"]]
    assert await ids("environment=test") == [gone["id"]]


async def test_the_fifty_first_active_key_of_a_kind_is_refused(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await _site(customer)
    for _ in range(MAX_ACTIVE - 1):
        await api.add_key(owner, property_id=site)
    last = await _make(customer, "integration-keys", site)

    body = {"property_id": site, "environment": "test", "name": "One more"}
    refused = await customer.post("/v1/integration-keys", body | BODIES["integration-keys"])
    other_kind = await customer.post("/v1/sdk-keys", body | BODIES["sdk-keys"])
    rotated = await customer.post(f"/v1/integration-keys/{last['id']}/rotate")

    assert (refused.status_code, code_of(refused)) == (409, "limit_reached")
    assert str(MAX_ACTIVE) in refused.json()["error"]["message"]
    assert (other_kind.status_code, rotated.status_code) == (201, 200)


async def test_rotating_an_integration_key_keeps_what_it_is(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    ends = to_iso(api.control.clock.now() + timedelta(days=30))
    old = await _make(
        customer, "integration-keys", await _site(customer), expires_at=ends, name="CRM"
    )

    answer = await customer.post(f"/v1/integration-keys/{old['id']}/rotate")

    new = answer.json()
    kept = ("property_id", "environment", "name", "scopes", "expires_at", "kind", "created_by")
    assert answer.status_code == 200
    assert {name: new[name] for name in kept} == {name: old[name] for name in kept}
    assert new["previous_key_id"] == old["id"]
    refused = await customer.get("/v1/me", bearer(old["key"]))
    assert code_of(refused) == "key_revoked"
    assert (await customer.get("/v1/me", bearer(new["key"]))).status_code == 200


async def test_a_live_key_shows_what_keeps_it_from_serving(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await _site(customer)

    live = await customer.make_sdk_key(site)
    test = await customer.make_sdk_key(site, environment="test")

    assert live["blocked_by"] == "property_unverified"
    assert test["blocked_by"] is None


async def test_two_at_once_do_not_both_find_room_for_the_last_key(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await _site(customer)
    for _ in range(MAX_ACTIVE - 1):
        await api.add_key(owner, property_id=site)
    body = {"property_id": site, "environment": "test", "name": "Last"}

    answers = await asyncio.gather(
        *(
            customer.post("/v1/integration-keys", body | BODIES["integration-keys"])
            for _ in range(6)
        )
    )

    assert sorted(answer.status_code for answer in answers) == [201, *[409] * 5]


async def test_last_use_is_shown(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    key = await _make(customer, "integration-keys", await _site(customer))
    path = f"/v1/integration-keys/{key['id']}"
    unused = await customer.get(path)

    await customer.get("/v1/me", bearer(key["key"]))
    await api.control.key_use.flush(api.control.database, api.control.clock.now())
    used = await customer.get(path)

    assert unused.json()["last_used_at"] is None
    assert used.json()["last_used_at"] is not None
    assert used.json()["version"] == unused.json()["version"]


async def test_a_key_revoked_long_ago_is_still_distinguished_from_an_unknown_one(
    api: ControlApi, owner: Person
) -> None:
    long_ago = api.control.clock.now() - 4 * TOMBSTONE_RETENTION
    key = await api.add_key(owner, revoked_at=long_ago)

    answer = await api.http.get("/v1/me", headers=key.headers)

    assert (answer.status_code, code_of(answer)) == (403, "key_revoked")
