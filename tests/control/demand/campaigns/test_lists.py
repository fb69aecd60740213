"""Lists of campaigns in every order, read through cursors while the rows change."""

from typing import Any

import pytest

from tests.support.control_api import ControlApi, Person, code_of
from tests.support.resources import Customer, params_of

SORTS = ("-created_at", "created_at", "name", "-name", "updated_at", "-updated_at")


async def pages(customer: Customer, filters: str, between: Any = None) -> list[dict[str, Any]]:
    """Every row, a few at a time; *between* is awaited after each page."""
    found: list[dict[str, Any]] = []
    cursor = ""
    while True:
        path = f"/v1/campaigns?environment=live&limit=4&{filters}{cursor}"
        answer = await customer.get(path)
        assert answer.status_code == 200, answer.text
        shown = answer.json()
        found += shown["data"]
        if not shown["has_more"]:
            return found
        cursor = f"&cursor={shown['next_cursor']}"
        if between is not None:
            await between()


async def some(customer: Customer, count: int = 13) -> list[dict[str, Any]]:
    """Names in another order than creation, two of them equal but for case, one as long and wide as a name may be."""
    site = await customer.make_property()
    names = [f"{'zebra' if n % 3 else 'Apple'} {n % 5}" for n in range(count - 1)]
    return [
        await customer.make_campaign(site["id"], name=name) for name in [*names, "\U0001f600" * 200]
    ]


@pytest.mark.parametrize("sort", SORTS)
async def test_every_row_comes_once_and_in_order(api: ControlApi, sort: str) -> None:
    customer = Customer(api, await api.sign_up())
    made = await some(customer)

    found = await pages(customer, f"sort={sort}")

    field = sort.removeprefix("-")
    keys = [(row[field].lower(), row["id"]) for row in found]
    assert sorted(row["id"] for row in found) == sorted(row["id"] for row in made)
    assert keys == sorted(keys, reverse=sort.startswith("-"))


@pytest.mark.parametrize("sort", ["-created_at", "name", "updated_at"])
async def test_rows_that_change_meanwhile_hide_no_other(api: ControlApi, sort: str) -> None:
    customer = Customer(api, await api.sign_up())
    made = await some(customer)
    site = made[0]["property_ids"][0]
    moving = made[::3]
    turn = iter(range(1000))

    async def change() -> None:
        one = moving[next(turn) % len(moving)]
        path = f"/v1/campaigns/{one['id']}"
        version = (await customer.get(path)).json()["version"]
        changed = await customer.patch(path, version, {"name": f"m {next(turn)} {one['name'][:9]}"})
        assert changed.status_code == 200
        await customer.make_campaign(site, name=f"new {next(turn)}")

    found = [row["id"] for row in await pages_until(customer, f"sort={sort}", change, most=9)]

    still = {row["id"] for row in made[1::3] + made[2::3]}
    assert still <= set(found)
    assert all(found.count(row) == 1 for row in still)
    if sort == "updated_at":
        assert {row["id"] for row in made} <= set(found)


async def pages_until(
    customer: Customer, filters: str, between: Any, *, most: int
) -> list[dict[str, Any]]:
    """As `pages`, with *between* awaited after the first *most* pages only, so that the list can end."""
    left = iter(range(most))

    async def sometimes() -> None:
        if next(left, None) is not None:
            await between()

    return await pages(customer, filters, sometimes)


async def test_filters_narrow_together(api: ControlApi) -> None:
    customer = Customer(api, await api.sign_up())
    site, other = await customer.make_property(), await customer.make_property()
    sale = await customer.make_campaign(site["id"], name="Spring SALE", objective="leads")
    both = await customer.make_campaign(
        site["id"], property_ids=[site["id"], other["id"]], name="Sale of all"
    )
    await customer.make_campaign(other["id"], name="Brand")

    async def ids(filters: str) -> list[str]:
        return [row["id"] for row in await pages(customer, filters)]

    assert await ids("q=sale") == [both["id"], sale["id"]]
    assert await ids("q=sale&objective=leads") == [sale["id"]]
    assert await ids(f"property_id={site['id']}&sort=name") == [both["id"], sale["id"]]
    assert await ids("q=%25") == []
    cafe = await customer.make_campaign(other["id"], name="Cafe\u0301", external_ref="e\u0301")
    assert cafe["name"] == "Caf\u00e9"
    for spelled in ("caf%C3%A9", "cafe%CC%81"):
        assert await ids(f"q={spelled}") == [cafe["id"]]
    assert await ids("external_ref=e%CC%81") == [cafe["id"]]
    assert await ids("external_ref=%C3%A9") == []
    changed = await customer.patch(f"/v1/campaigns/{sale['id']}", 1, {"bid_cents": 5})
    since = changed.json()["updated_at"].replace("+", "%2B")
    assert await ids(f"updated_since={since}") == [sale["id"]]


async def test_a_cursor_is_good_for_its_own_order_only(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    await some(customer, 3)
    by_name = await customer.get("/v1/campaigns?environment=live&limit=1&sort=name")
    cursor = by_name.json()["next_cursor"]

    other = await customer.get(f"/v1/campaigns?environment=live&limit=1&cursor={cursor}")
    unknown = await customer.get("/v1/campaigns?environment=live&sort=bid_cents")

    assert (other.status_code, code_of(other)) == (400, "cursor_invalid")
    assert params_of(unknown) == ["sort"]


async def test_lists_filter_and_go_on(api: ControlApi) -> None:
    customer = Customer(api, await api.sign_up())
    site, other = await customer.make_property(), await customer.make_property()
    ids = [(await customer.make_campaign(site["id"]))["id"] for _ in range(3)]
    elsewhere = await customer.make_campaign(other["id"])
    await customer.make_campaign(site["id"], "test")
    await customer.post(f"/v1/campaigns/{ids[0]}/activate")

    async def shown(filters: str) -> list[str]:
        answer = await customer.get(f"/v1/campaigns?environment=live{filters}")
        return [item["id"] for item in answer.json()["data"]]

    first = (await customer.get("/v1/campaigns?environment=live&limit=3")).json()
    cursor = first["next_cursor"]

    assert [item["id"] for item in first["data"]] == [elsewhere["id"], ids[2], ids[1]]
    assert await shown(f"&limit=3&cursor={cursor}") == [ids[0]]
    assert await shown("&status=active") == [ids[0]]
    assert await shown(f"&property_id={other['id']}") == [elsewhere["id"]]
    refused = await customer.get(f"/v1/campaigns?environment=test&cursor={cursor}")
    assert (refused.status_code, code_of(refused)) == (400, "cursor_invalid")


async def test_a_cursor_is_good_in_its_own_environment_only(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    for _ in range(2):
        await customer.make_campaign(site["id"], "test")
    test, live = [await customer.key_headers(site["id"], name) for name in ("test", "live")]
    cursor = (await customer.get("/v1/campaigns?limit=1", test)).json()["next_cursor"]

    own = await customer.get(f"/v1/campaigns?cursor={cursor}", test)
    named = await customer.get(f"/v1/campaigns?environment=test&cursor={cursor}", test)
    other = await customer.get(f"/v1/campaigns?cursor={cursor}", live)

    assert len(own.json()["data"]) == 1
    assert named.json() == own.json()
    assert (other.status_code, code_of(other)) == (400, "cursor_invalid")
