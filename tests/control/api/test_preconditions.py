"""`If-Match` with another version than the object's: the call changes nothing (RFC 9110, 13.1.1)."""

from typing import Any

import pytest

from tests.control.identity.members.people import invite
from tests.support.control_api import PASSWORD, ControlApi, Person, code_of
from tests.support.resources import Customer, made

STALE = {"If-Match": '"7"'}
BODIES: dict[str, Any] = {"close": {"password": PASSWORD}, "verification": {"method": "dns"}}


async def _path_of(customer: Customer, kind: str) -> str:
    """The path of a new object of *kind*, at version 1 or 2."""
    if kind == "account":
        return "/v1/account"
    if kind == "members":
        return f"/v1/members/{made(await invite(customer.api, customer.person, 'analyst'))['id']}"
    if kind == "reports/views":
        body = {"name": "Mine", "question": {"range": "7d"}}
        view = made(await customer.post("/v1/reports/views?environment=live", body))
        return f"/v1/reports/views/{view['id']}"
    site = (await customer.make_property(domain=f"{kind}.example.com"))["id"]
    if kind == "properties":
        await customer.post(f"/v1/properties/{site}/verification", {"method": "html_tag"})
        return f"/v1/properties/{site}"
    terms = {"kind": "secret"} if kind == "sdk-keys" else {"scopes": ["campaign:read"]}
    body = {"property_id": site, "environment": "live", "name": "Server"} | terms
    return f"/v1/{kind}/{made(await customer.post(f'/v1/{kind}', body))['id']}"


@pytest.mark.parametrize(
    ("kind", "verb"),
    [
        ("account", "stop"),
        ("account", "resume"),
        ("account", "close"),
        ("members", "resend"),
        ("members", ""),
        ("properties", "verification"),
        ("properties", "verify"),
        ("sdk-keys", "revoke"),
        ("sdk-keys", "rotate"),
        ("integration-keys", "revoke"),
        ("integration-keys", "rotate"),
        ("reports/views", ""),
    ],
)
async def test_a_stale_version_changes_nothing(api: ControlApi, kind: str, verb: str) -> None:
    customer = Customer(api, await api.sign_up())
    path = await _path_of(customer, kind)
    before = await customer.get(path)

    answer = await api.http.request(
        "POST" if verb else "DELETE",
        f"{path}/{verb}" if verb else path,
        json=BODIES.get(verb),
        headers=customer.headers | STALE,
    )

    assert (answer.status_code, code_of(answer)) == (412, "version_conflict")
    assert answer.headers["etag"] == before.headers["etag"]
    assert (await customer.get(path)).json() == before.json()


async def test_the_objects_own_version_is_accepted(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    path = await _path_of(customer, "sdk-keys")
    etag = (await customer.get(path)).headers["etag"]

    answer = await customer.post(f"{path}/revoke", None, owner.headers | {"If-Match": etag})

    assert answer.json()["status"] == "revoked"
