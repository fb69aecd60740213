"""Who sees which assets, how many bytes they may have, and how they end."""

from typing import Any

import pytest
from httpx import Response
from sqlalchemy import text

from common.values.errors import Refused
from common.values.ids import new_id
from control.demand.assets.queries import get_ready_asset
from control.foundation.principal import Principal
from tests.control.demand.assets.conftest import Uploader
from tests.control.demand.assets.files import HTML, a_sound, an_image
from tests.support.control_api import code_of
from tests.support.resources import made, params_of

SCOPES = ["asset:read", "asset:write", "ad:write", "campaign:write"]


async def test_a_key_sees_the_assets_of_its_property_and_environment(uploader: Uploader) -> None:
    customer = uploader.customer
    mine, other = [(await customer.make_property())["id"] for _ in range(2)]
    key = await customer.key_headers(mine, scopes=SCOPES)
    test_key = await customer.key_headers(mine, "test", scopes=SCOPES)
    own = made(await uploader.send(an_image(), headers=key, environment=None))
    account_wide = made(await uploader.send(an_image()))
    named = made(await uploader.send(an_image(), property_id=mine))
    of_other = made(await uploader.send(an_image(), property_id=other))

    listed = (await customer.get("/v1/assets", headers=key)).json()["data"]

    assert [asset["id"] for asset in listed] == [named["id"], own["id"]]
    assert own["property_id"] == mine
    for asset in (account_wide, of_other):
        assert (await customer.get(f"/v1/assets/{asset['id']}", headers=key)).status_code == 404
    assert (await customer.get(f"/v1/assets/{own['id']}", headers=test_key)).status_code == 404
    everything = (await customer.get("/v1/assets?environment=live")).json()["data"]
    assert len(everything) == 4


async def test_a_key_cannot_give_an_asset_to_another_property(uploader: Uploader) -> None:
    customer = uploader.customer
    mine, other = [(await customer.make_property())["id"] for _ in range(2)]
    key = await customer.key_headers(mine, scopes=SCOPES)

    foreign = await uploader.send(an_image(), headers=key, environment=None, property_id=other)
    nowhere = await uploader.send(an_image(), property_id=new_id())

    assert (foreign.status_code, nowhere.status_code) == (404, 404)


async def test_lists_are_filtered_and_paged(uploader: Uploader) -> None:
    image, page = [made(await uploader.send(content)) for content in (an_image(), HTML)]
    sound = made(await uploader.send(a_sound()))
    get = uploader.customer.get

    by_kind = (await get("/v1/assets?environment=live&kind=html")).json()
    by_status = (await get("/v1/assets?environment=live&status=processing")).json()
    first = (await get("/v1/assets?environment=live&limit=2")).json()
    rest = (await get(f"/v1/assets?environment=live&limit=2&cursor={first['next_cursor']}")).json()

    assert [asset["id"] for asset in by_kind["data"]] == [page["id"]]
    assert [asset["id"] for asset in by_status["data"]] == [sound["id"]]
    assert [a["id"] for a in first["data"] + rest["data"]] == [
        sound["id"],
        page["id"],
        image["id"],
    ]
    assert (first["has_more"], rest["has_more"]) == (True, False)


async def test_the_bytes_of_an_account_are_limited(uploader: Uploader) -> None:
    body = {"kind": "audio", "filename": "a", "mime": "audio/mpeg", "bytes": 990_000}
    post = uploader.customer.post
    large = made(await post("/v1/assets?environment=test", body))

    announced = await post("/v1/assets?environment=live", body | {"bytes": 10_001})
    sent = await uploader.send(HTML.ljust(9_999))
    over = await uploader.send(an_image())
    await post(f"/v1/assets/{large['id']}/archive")
    after = await uploader.send(an_image())

    assert params_of(announced) == ["bytes"]
    assert "990,000 of 1,000,000 bytes" in announced.json()["error"]["message"]
    assert (sent.status_code, after.status_code) == (201, 201)
    assert over.json()["error"]["details"][0]["code"] == "storage_full"


async def test_the_same_bytes_are_stored_once_and_belong_to_each(uploader: Uploader) -> None:
    first, second = [made(await uploader.send(an_image(size=(31, 17)))) for _ in range(2)]

    assert first["id"] != second["id"]
    assert first["url"] == second["url"]


async def test_an_archived_asset_is_out_of_use_and_still_served(uploader: Uploader) -> None:
    asset = made(await uploader.send(an_image()))
    path = f"/v1/assets/{asset['id']}/archive"

    archived = (await uploader.customer.post(path)).json()
    again = await uploader.customer.post(path)

    assert (archived["status"], archived["url"]) == ("archived", asset["url"])
    assert (again.status_code, code_of(again)) == (409, "invalid_state")
    assert uploader.served(archived)


async def test_an_asset_of_an_active_ad_cannot_be_archived(uploader: Uploader) -> None:
    asset = made(await uploader.send(an_image()))
    ad_id = await _ad_of(uploader, asset, "active")

    refused = await uploader.customer.post(f"/v1/assets/{asset['id']}/archive")
    await _run(uploader, "update ads set status = 'paused' where id = :id", id=ad_id)
    archived = await uploader.customer.post(f"/v1/assets/{asset['id']}/archive")

    assert (refused.status_code, code_of(refused)) == (409, "invalid_state")
    assert ad_id in refused.json()["error"]["message"]
    assert archived.status_code == 200


@pytest.mark.parametrize(
    ("before", "verb"), [("draft", "activate"), ("paused", "resume"), ("pending_review", "approve")]
)
async def test_no_ad_runs_with_an_archived_asset(
    uploader: Uploader, before: str, verb: str
) -> None:
    first, second = [made(await uploader.send(an_image())) for _ in range(2)]
    ad_id = await _ad_of(uploader, first, before)
    customer, path = uploader.customer, f"/v1/ads/{ad_id}"
    await customer.post(f"/v1/assets/{first['id']}/archive")

    refused = await customer.post(f"{path}/{verb}")
    version = (await customer.get(path)).json()["version"]
    changed = await customer.patch(path, version, {"asset_ids": {"image": second["id"]}})
    accepted = await customer.post(f"{path}/{verb}")

    assert (refused.status_code, code_of(refused)) == (409, "invalid_state")
    assert refused.json()["error"]["param"] == "asset_ids"
    assert first["id"] in refused.json()["error"]["message"]
    assert changed.status_code == 200, changed.text
    assert accepted.json()["status"] == "active"


async def test_ads_may_use_only_ready_assets(uploader: Uploader) -> None:
    ready = made(await uploader.send(an_image()))
    waiting = made(await uploader.send(a_sound()))
    control = uploader.api.control
    principal = _principal(uploader)

    async with control.database.tenant(principal.account_id) as session:
        found = await get_ready_asset(session, principal, ready["id"])
        codes = [
            await _code(get_ready_asset(session, principal, asset_id))
            for asset_id in (waiting["id"], new_id(), "nothing")
        ]

    assert found.object_name in ready["url"]
    assert codes == ["validation_failed", "not_found", "not_found"]


async def _code(asking: Any) -> str:
    try:
        await asking
    except Refused as refused:
        return refused.code.value
    return "ok"


def _principal(uploader: Uploader) -> Principal:
    person = uploader.customer.person
    return Principal(
        auth=None,  # type: ignore[arg-type]  # nobody asks
        account_id=person.account_id,
        user_id=person.user_id,
        role=None,
        is_operator=False,
        permissions=frozenset(),
        scopes=frozenset(),
        lost=frozenset(),
        key_id=None,
        environment=None,
        property_id=None,
    )


async def _ad_of(uploader: Uploader, asset: dict[str, Any], status: str) -> str:
    """Straight into the database."""
    customer = uploader.customer
    site = (await customer.make_property())["id"]
    campaign = await customer.make_campaign(site)
    ad = await customer.make_ad(campaign["id"])
    await _run(
        uploader,
        "update ads set status = :status, asset_ids = jsonb_build_object('image', cast(:asset as text))"
        " where id = :id",
        id=ad["id"],
        status=status,
        asset=asset["id"],
    )
    return str(ad["id"])


async def _run(uploader: Uploader, statement: str, **values: str) -> None:
    async with uploader.api.control.database.service() as session:
        await session.execute(text(statement), values)


async def test_the_name_of_a_file_is_changed_until_it_is_archived(uploader: Uploader) -> None:
    asset = made(await uploader.send(an_image()))
    path, customer = f"/v1/assets/{asset['id']}", uploader.customer

    async def patch(body: Any) -> Response:
        return await customer.api.http.patch(path, json=body, headers=customer.headers)

    changed = await patch({"filename": " spring.png "})
    same = await patch({})
    for body in ({"filename": ""}, {"filename": None}, {"filename": "a\nb"}, {"status": "ready"}):
        assert (await patch(body)).status_code == 422
    await customer.post(f"{path}/archive", {})
    late = await patch({"filename": "late.png"})

    assert changed.json()["filename"] == same.json()["filename"] == "spring.png"
    assert changed.json()["sha256"] == asset["sha256"]
    assert (late.status_code, code_of(late)) == (409, "invalid_state")
