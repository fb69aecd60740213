"""Keys through the API."""

from uuid import uuid4

from common.values.keys import find_key_text
from tests.support.control_api import ControlApi, Person, bearer, code_of
from tests.support.resources import Customer, made, params_of


async def test_a_publishable_key_is_shown_again(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()

    key = await customer.make_sdk_key(site["id"], environment="test")
    listed = await customer.get(f"/v1/sdk-keys?property_id={site['id']}")

    assert key["key"].startswith("pk_test_")
    assert find_key_text(key["key"])
    assert (key["is_test"], key["status"], key["created_by"]) == (True, "active", owner.user_id)
    assert listed.json()["data"] == [key]


async def test_an_unknown_kind_is_refused_with_the_valid_ones(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    body = {"property_id": site["id"], "kind": "any", "environment": "test", "name": "Website"}

    answer = await customer.post("/v1/sdk-keys", body)

    assert params_of(answer) == ["kind"]
    assert answer.json()["error"]["message"] == "kind: Must be one of 'publishable', 'secret'."


async def test_a_secret_key_is_shown_once(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()

    key = await customer.make_sdk_key(site["id"], kind="secret")
    listed = await customer.get(f"/v1/sdk-keys?property_id={site['id']}")

    assert key["key"].startswith("sk_live_")
    assert listed.json()["data"] == [key | {"key": None}]
    assert key["key"] not in listed.text


async def test_rotation_revokes_at_once_and_gives_a_replacement(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    old = await customer.make_sdk_key(site["id"], kind="secret", name="Server")

    answer = await customer.post(f"/v1/sdk-keys/{old['id']}/rotate")

    new = answer.json()
    assert answer.status_code == 200
    assert new["key"].startswith("sk_live_")
    assert new["key"] != old["key"]
    assert (new["previous_key_id"], new["name"], new["status"]) == (old["id"], "Server", "active")
    listed = (await customer.get(f"/v1/sdk-keys?property_id={site['id']}")).json()["data"]
    assert {item["id"]: item["status"] for item in listed} == {
        new["id"]: "active",
        old["id"]: "revoked",
    }


async def test_a_revoked_key_cannot_be_rotated(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    key = await customer.make_sdk_key((await customer.make_property())["id"])

    revoked = await customer.post(f"/v1/sdk-keys/{key['id']}/revoke")
    rotated = await customer.post(f"/v1/sdk-keys/{key['id']}/rotate")

    assert (revoked.status_code, revoked.json()["status"]) == (200, "revoked")
    assert (rotated.status_code, code_of(rotated)) == (409, "invalid_state")


async def test_a_rotation_retried_gives_the_same_key(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    key = await customer.make_sdk_key((await customer.make_property())["id"])
    headers = owner.headers | {"Idempotency-Key": uuid4().hex}

    first = await customer.post(f"/v1/sdk-keys/{key['id']}/rotate", headers=headers)
    again = await customer.post(f"/v1/sdk-keys/{key['id']}/rotate", headers=headers)

    assert again.content == first.content
    assert again.headers["idempotent-replayed"] == "true"


async def test_an_integration_key_works_until_it_is_revoked(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    body = {
        "property_id": site["id"],
        "environment": "live",
        "name": "Orders",
        "scopes": ["campaign:read"],
    }
    key = made(await customer.post("/v1/integration-keys", body))
    headers = bearer(key["key"])

    before = await customer.get("/v1/campaigns", headers)
    listed = await customer.get(f"/v1/integration-keys?property_id={site['id']}")
    await customer.post(f"/v1/integration-keys/{key['id']}/revoke")
    after = await customer.get("/v1/campaigns", headers)

    assert before.status_code == 200
    assert [item["scopes"] for item in listed.json()["data"]] == [["campaign:read"]]
    assert key["key"] not in listed.text
    assert (after.status_code, code_of(after)) == (403, "key_revoked")


async def test_scopes_are_of_the_closed_set(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    body = {"property_id": site["id"], "environment": "live", "name": "Orders"}

    for scopes, param in (
        (["billing:read"], "scopes.0"),
        ([], "scopes"),
        (["ad:read"] * 2, "scopes"),
    ):
        answer = await customer.post("/v1/integration-keys", body | {"scopes": scopes})
        assert params_of(answer) == [param]


async def test_keys_are_not_for_integration_keys(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    headers = await customer.key_headers(site["id"])

    for answer in (
        await customer.get("/v1/sdk-keys", headers),
        await customer.get("/v1/integration-keys", headers),
        await customer.post("/v1/sdk-keys", {}, headers),
    ):
        assert (answer.status_code, code_of(answer)) == (403, "not_available_to_integration_keys")


async def test_a_key_is_found_under_its_own_kind_and_account_only(
    api: ControlApi, owner: Person
) -> None:
    customer, outsider = Customer(api, owner), Customer(api, await api.sign_up())
    key = await customer.make_sdk_key((await customer.make_property())["id"])

    wrong_kind = await customer.post(f"/v1/integration-keys/{key['id']}/revoke")
    foreign = await outsider.post(f"/v1/sdk-keys/{key['id']}/revoke")

    assert (wrong_kind.status_code, foreign.status_code) == (404, 404)
