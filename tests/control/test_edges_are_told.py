"""What a resource's endpoints change is in the outbox with the commit, and only what edges need."""

from datetime import timedelta

from sqlmodel import col, select

from common.clock import to_iso, to_ms
from control.tables.outbox import SnapshotObjectRow
from tests.support.control_api import ControlApi, Person
from tests.support.resources import Customer


async def _known(api: ControlApi, *ids: str) -> dict[str, str]:
    """Object id to its canonical JSON, as edges get it."""
    wanted = select(SnapshotObjectRow).where(col(SnapshotObjectRow.id).in_(ids))
    async with api.control.database.service() as session:
        return {row.id: row.body.decode() for row in await session.scalars(wanted)}


async def test_a_property_with_its_slot_travels(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    slot = await customer.make_slot(site["id"], key="top")

    known = await _known(api, owner.account_id, site["id"], slot["id"])

    assert known.keys() == {owner.account_id, site["id"], slot["id"]}
    assert '"kid":1' in known[site["id"]]
    assert '"key":"top"' in known[slot["id"]]


async def test_a_rotated_key_travels_with_its_replacement(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    old = await customer.make_sdk_key(site["id"])
    new = (await customer.post(f"/v1/sdk-keys/{old['id']}/rotate")).json()

    known = await _known(api, old["id"], new["id"])

    assert '"revoked_at_ms":null' not in known[old["id"]]
    assert '"revoked_at_ms":null' in known[new["id"]]


async def test_a_keys_new_end_travels(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    key = await customer.make_sdk_key((await customer.make_property())["id"])
    ends_at = api.control.clock.now() + timedelta(days=1)

    await customer.patch(f"/v1/sdk-keys/{key['id']}", 1, {"expires_at": to_iso(ends_at)})

    assert f'"expires_at_ms":{to_ms(ends_at)}' in (await _known(api, key["id"]))[key["id"]]


async def test_a_campaign_travels_once_it_runs(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    campaign = await customer.make_campaign((await customer.make_property())["id"])
    ad = await customer.make_ad(campaign["id"])
    before = await _known(api, campaign["id"], ad["id"])

    await customer.post(f"/v1/ads/{ad['id']}/activate")
    await customer.post(f"/v1/campaigns/{campaign['id']}/activate")
    await customer.patch(f"/v1/campaigns/{campaign['id']}", 2, {"bid_cents": 321})

    known = await _known(api, campaign["id"], ad["id"])
    assert before == {}
    assert known.keys() == {campaign["id"], ad["id"]}
    assert '"bid_micros":3210' in known[campaign["id"]]


async def test_an_integration_key_stays_at_home(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    headers = await customer.key_headers(site["id"])
    key = (await customer.get("/v1/me", headers)).json()["key"]

    assert await _known(api, key["id"]) == {}
