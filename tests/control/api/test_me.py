"""`GET /v1/me` for every kind of bearer."""

from sqlalchemy import text

from common.contract.permissions import Permission
from common.values.environment import Environment
from common.values.keys import KeyKind
from tests.support.control_api import ControlApi, Person, code_of


async def test_me_shows_a_signed_in_user(api: ControlApi, owner: Person) -> None:
    me = (await api.http.get("/v1/me", headers=owner.headers)).json()

    assert me["credential"] == "access_token"
    assert me["account"]["id"] == owner.account_id
    assert me["user"]["email"] == owner.email
    assert me["role"] == "owner"
    assert "billing:write" in me["permissions"]
    assert me["environment"] is me["property_id"] is me["key"] is me["scopes"] is None


async def test_me_shows_an_integration_key(api: ControlApi, owner: Person) -> None:
    scopes = (Permission.AD_READ, Permission.CAMPAIGN_READ)
    key = await api.add_key(owner, environment=Environment.LIVE, scopes=scopes)
    me = (await api.http.get("/v1/me", headers=key.headers)).json()

    assert me["credential"] == "integration_key"
    assert me["environment"] == "live"
    assert me["property_id"] == key.property_id
    assert me["scopes"] == me["permissions"] == ["campaign:read", "ad:read"]
    shown = {name: me["key"][name] for name in ("id", "kind", "name", "last4", "environment")}
    assert shown == {
        "id": key.id,
        "kind": "integration",
        "name": "A key",
        "last4": key.text.last4,
        "environment": "live",
    }
    assert (me["key"]["created_by"], me["key"]["creator_is_member"]) == (owner.user_id, True)
    assert (me["property"]["id"], me["property"]["status"]) == (key.property_id, "unverified")
    assert [block["code"] for block in me["blocks"]] == ["property_unverified"]


async def test_me_shows_the_permissions_that_a_key_has_lost(api: ControlApi) -> None:
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
    assert [lost["scope"] for lost in me["lost_scopes"]] == ["ad:read"]
    assert "`finance`" in me["lost_scopes"][0]["reason"]


async def test_me_accepts_a_secret_key_and_refuses_a_publishable_one(
    api: ControlApi, owner: Person
) -> None:
    secret = await api.add_key(owner, KeyKind.SECRET)
    publishable = await api.add_key(owner, KeyKind.PUBLISHABLE)

    accepted = await api.http.get("/v1/me", headers=secret.headers)
    refused = await api.http.get("/v1/me", headers=publishable.headers)
    assert accepted.json()["key"]["kind"] == "secret"
    assert code_of(refused) == "invalid_key"


async def test_me_shows_that_the_keys_creator_has_left(api: ControlApi) -> None:
    person = await api.sign_up()
    key = await api.add_key(person, scopes=(Permission.AD_READ,))
    async with api.control.database.service() as session:
        await session.execute(
            text("delete from memberships where user_id = :id"), {"id": person.user_id}
        )

    me = (await api.http.get("/v1/me", headers=key.headers)).json()

    assert (me["user"], me["role"], me["key"]["creator_is_member"]) == (None, None, False)
    assert [lost["scope"] for lost in me["lost_scopes"]] == ["ad:read"]
    assert "has left" in me["lost_scopes"][0]["reason"]


async def test_me_shows_what_blocks_an_account(api: ControlApi) -> None:
    person = await api.sign_up()
    live = await api.add_key(person, environment=Environment.LIVE)
    test = await api.add_key(person, property_id=live.property_id)
    async with api.control.database.service() as session:
        await session.execute(
            text("update accounts set state = 'past_due', stopped = true where id = :id"),
            {"id": person.account_id},
        )
        await session.execute(
            text("update properties set status = 'suspended' where id = :id"),
            {"id": live.property_id},
        )

    async def blocks(headers: dict[str, str]) -> list[str]:
        me = (await api.http.get("/v1/me", headers=headers)).json()
        return [block["code"] for block in me["blocks"]]

    assert await blocks(live.headers) == [
        "payment_overdue",
        "account_stopped",
        "property_suspended",
    ]
    assert await blocks(test.headers) == ["payment_overdue"]
    assert await blocks(person.headers) == ["payment_overdue", "account_stopped"]


async def test_me_shows_the_same_rate_as_its_headers(api: ControlApi, owner: Person) -> None:
    answer = await api.http.get("/v1/me", headers=owner.headers)

    limit = answer.json()["rate_limit"]
    assert answer.headers["ratelimit-policy"] == f'"default";q={limit["calls_per_second"]};w=1'
    assert answer.headers["ratelimit"] == f'"default";r={limit["left"]};t=0'
    assert limit["burst"] == 3 * limit["calls_per_second"]


async def test_me_shows_a_change_of_the_snapshot_version(api: ControlApi, owner: Person) -> None:
    before = (await api.http.get("/v1/me", headers=owner.headers)).json()["snapshot_version"]
    body = {"name": "News", "kind": "web", "domain": "news.example.com"}
    await api.http.post("/v1/properties", json=body, headers=owner.headers)
    after = (await api.http.get("/v1/me", headers=owner.headers)).json()["snapshot_version"]

    assert after > before


async def test_people_can_change_only_their_own_name(api: ControlApi) -> None:
    person, other = await api.sign_up(), await api.sign_up()

    changed = await api.http.patch("/v1/me", json={"name": " Ana "}, headers=person.headers)

    assert (changed.status_code, changed.json()["user"]["name"]) == (200, "Ana")
    others = (await api.http.get("/v1/me", headers=other.headers)).json()
    assert others["user"]["name"] != "Ana"
    async with api.control.database.service() as session:
        line = await session.execute(
            text("select action, object_id from audit_log where account_id = :id order by id desc"),
            {"id": person.account_id},
        )
        assert tuple(line.first() or ()) == ("updateMe", person.user_id)
