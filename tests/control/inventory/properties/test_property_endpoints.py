"""Properties through the API."""

import orjson

from common.service.secrets import Purpose
from control.outbox.objects import property_of
from control.storage.tables.properties import PropertyRow, PropertySecretRow
from tests.support.control_api import ControlApi, Person, code_of
from tests.support.resources import Customer, params_of


async def test_a_new_property_is_unverified_and_has_defaults(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)

    answer = await customer.post(
        "/v1/properties", {"name": "News", "kind": "web", "domain": "News.example.com"}
    )

    found = answer.json()
    assert answer.status_code == 201
    assert answer.headers["location"] == f"/v1/properties/{found['id']}"
    assert answer.headers["etag"] == '"1"'
    assert (found["status"], found["domain"]) == ("unverified", "news.example.com")
    assert (found["timezone"], found["token_ttl_seconds"]) == ("UTC", 600)
    assert found["rate_limits"]["track_per_key_s"] == 2000
    assert found["payout"] == {"payee": None, "share_percent": 0}
    assert len(found["currency"]) == 3


async def test_a_property_gets_a_sealed_secret_of_its_own(api: ControlApi, owner: Person) -> None:
    found = await Customer(api, owner).make_property()

    async with api.control.database.service() as session:
        secret = await session.get_one(PropertySecretRow, (found["id"], 1))
    keys = api.control.keys
    assert secret.state == "sign"
    assert len(keys.unseal(Purpose.PROPERTY_SECRETS, secret.sealed, bound_to=found["id"])) == 32


async def test_a_property_is_patched_at_its_version(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    found = await customer.make_property()
    path = f"/v1/properties/{found['id']}"

    patched = await customer.patch(path, 1, {"rate_limits": {"serve_per_ip_s": 7}})
    again = await customer.patch(path, 1, {"name": "Late"})
    blind = await api.http.patch(path, json={"name": "Blind"}, headers=owner.headers)

    assert patched.status_code == 200
    assert patched.headers["etag"] == '"2"'
    assert patched.json()["rate_limits"] == found["rate_limits"] | {"serve_per_ip_s": 7}
    assert (again.status_code, code_of(again)) == (412, "version_conflict")
    assert (blind.status_code, code_of(blind)) == (428, "version_required")
    assert (await customer.get(path)).json() == patched.json()


async def test_settings_for_libraries_reach_the_snapshot(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    found = await customer.make_property()
    path = f"/v1/properties/{found['id']}"
    reported = {"min": {"web": "1.2.0"}, "flags": {"sticky_header": True, "layout": "wide"}}

    await customer.patch(path, 1, {"sdk": {"flags": reported["flags"]}})
    patched = await customer.patch(path, 2, {"sdk": {"min": reported["min"]}})

    assert patched.json()["sdk"] == reported
    async with api.control.database.service() as session:
        row = await session.get_one(PropertyRow, found["id"])
    assert orjson.loads(property_of(row, "USD", ()).sdk) == reported


async def test_every_fault_of_a_property_is_named(api: ControlApi, owner: Person) -> None:
    answer = await Customer(api, owner).post(
        "/v1/properties",
        {"kind": "web", "domain": "localhost", "timezone": "Mars", "payout": {"x": 1}, "y": 2},
    )

    assert set(params_of(answer)) == {"name", "domain", "timezone", "payout.x", "y"}


async def test_a_web_property_keeps_its_domain(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    found = await customer.make_property()

    answer = await customer.patch(f"/v1/properties/{found['id']}", 1, {"domain": None})

    assert params_of(answer) == ["domain"]


async def test_a_property_of_another_account_is_not_found(api: ControlApi, owner: Person) -> None:
    found = await Customer(api, owner).make_property()
    outsider = Customer(api, await api.sign_up())
    path = f"/v1/properties/{found['id']}"

    for answer in (
        await outsider.get(path),
        await outsider.patch(path, 1, {"name": "Mine"}),
        await outsider.get("/v1/properties/nonsense"),
    ):
        assert (answer.status_code, code_of(answer)) == (404, "not_found")
    assert (await outsider.get("/v1/properties")).json()["data"] == []


async def test_an_integration_key_reads_its_own_property_only(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    own, other = await customer.make_property(), await customer.make_property()
    headers = await customer.key_headers(own["id"])

    listed = await customer.get("/v1/properties", headers)
    foreign = await customer.get(f"/v1/properties/{other['id']}", headers)
    written = await customer.patch(f"/v1/properties/{own['id']}", 1, {"name": "x"}, headers)

    assert [item["id"] for item in listed.json()["data"]] == [own["id"]]
    assert foreign.status_code == 404
    assert code_of(written) == "not_available_to_integration_keys"


async def test_a_list_continues_at_its_cursor(api: ControlApi) -> None:
    customer = Customer(api, await api.sign_up())
    ids = [(await customer.make_property())["id"] for _ in range(3)]

    first = (await customer.get("/v1/properties?limit=2")).json()
    second = (await customer.get(f"/v1/properties?limit=2&cursor={first['next_cursor']}")).json()

    shown = [item["id"] for item in (*first["data"], *second["data"])]
    assert shown == list(reversed(ids))
    assert (first["has_more"], second["has_more"], second["next_cursor"]) == (True, False, None)


async def test_a_cursor_of_another_caller_is_refused(api: ControlApi) -> None:
    customer = Customer(api, await api.sign_up())
    other = Customer(api, await api.sign_up())
    for _ in range(2):
        await customer.make_property()
    cursor = (await customer.get("/v1/properties?limit=1")).json()["next_cursor"]

    answer = await other.get(f"/v1/properties?cursor={cursor}")

    assert (answer.status_code, code_of(answer)) == (400, "cursor_invalid")


async def test_blocked_ads_are_ads_of_the_account(api: ControlApi, owner: Person) -> None:
    customer, outsider = Customer(api, owner), Customer(api, await api.sign_up())
    site, theirs = await customer.make_property(), await outsider.make_property()
    ad = await customer.make_ad((await customer.make_campaign(site["id"]))["id"])
    foreign = await outsider.make_ad((await outsider.make_campaign(theirs["id"]))["id"])
    path = f"/v1/properties/{site['id']}"

    bad = await customer.patch(path, 1, {"blocked_ad_ids": [ad["id"], foreign["id"]]})
    good = await customer.patch(path, 1, {"blocked_ad_ids": [ad["id"]]})

    assert params_of(bad) == ["blocked_ad_ids.1"]
    assert good.json()["blocked_ad_ids"] == [ad["id"]]


async def test_properties_are_filtered(api: ControlApi) -> None:
    customer = Customer(api, await api.sign_up())
    web = await customer.make_property(domain="a.example.com")
    app = await customer.make_property(kind="app", domain=None, bundle_id="com.example")

    async def ids(query: str) -> list[str]:
        found = (await customer.get(f"/v1/properties?{query}")).json()["data"]
        return [item["id"] for item in found]

    assert await ids("kind=app") == [app["id"]]
    assert await ids("domain=A.example.com") == [web["id"]]
    assert await ids("status=verified") == []
    assert len(await ids("status=unverified")) == 2
