"""Who is calling, for every kind of bearer."""

from sqlalchemy import text

from common.contract.permissions import Permission
from common.environment import Environment
from common.keys import KeyKind
from tests.support.control_api import ControlApi, Person, code_of


async def test_me_tells_a_signed_in_user(api: ControlApi, owner: Person) -> None:
    me = (await api.http.get("/v1/me", headers=owner.headers)).json()

    assert me["credential"] == "access_token"
    assert me["account"]["id"] == owner.account_id
    assert me["user"]["email"] == owner.email
    assert me["role"] == "owner"
    assert "billing:write" in me["permissions"]
    assert me["environment"] is me["property_id"] is me["key"] is me["scopes"] is None


async def test_me_tells_an_integration_key(api: ControlApi, owner: Person) -> None:
    scopes = (Permission.AD_READ, Permission.CAMPAIGN_READ)
    key = await api.add_key(owner, environment=Environment.LIVE, scopes=scopes)
    me = (await api.http.get("/v1/me", headers=key.headers)).json()

    assert me["credential"] == "integration_key"
    assert me["environment"] == "live"
    assert me["property_id"] == key.property_id
    assert me["scopes"] == me["permissions"] == ["campaign:read", "ad:read"]
    assert me["key"] == {
        "id": key.id,
        "kind": "integration",
        "name": "A key",
        "last4": key.text.last4,
    }


async def test_me_shows_what_a_key_has_lost(api: ControlApi) -> None:
    person = await api.sign_up()
    key = await api.add_key(person, scopes=(Permission.AD_READ, Permission.REPORTS_READ))
    async with api.control.database.service() as session:
        await session.execute(
            text("update memberships set role = 'finance' where user_id = :id"),
            {"id": person.user_id},
        )

    me = (await api.http.get("/v1/me", headers=key.headers)).json()
    assert me["scopes"] == ["ad:read", "reports:read"]
    assert me["permissions"] == ["reports:read"]


async def test_me_takes_a_secret_key_and_no_publishable_one(api: ControlApi, owner: Person) -> None:
    secret = await api.add_key(owner, KeyKind.SECRET)
    publishable = await api.add_key(owner, KeyKind.PUBLISHABLE)

    accepted = await api.http.get("/v1/me", headers=secret.headers)
    refused = await api.http.get("/v1/me", headers=publishable.headers)
    assert accepted.json()["key"]["kind"] == "secret"
    assert code_of(refused) == "invalid_key"
