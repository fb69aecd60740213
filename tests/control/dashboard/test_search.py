"""The search of all pages: what it finds, for whom, and that an index answers it."""

import pytest
from selectolax.lexbor import LexborHTMLParser
from sqlalchemy import text

from common.values.clock import FixedClock
from common.values.environment import Environment
from common.values.keys import KeyKind
from control.dashboard.search.queries import MAX_OF_TYPE
from tests.control.identity.members.people import a_member
from tests.support.control_api import ControlApi
from tests.support.resources import Customer
from tests.support.visitor import Visitor, text_of, visiting


async def _found(visitor: Visitor, sought: str, environment: str = "live") -> dict[str, str]:
    """Addresses by label."""
    answer = await visitor.http.get(f"/{environment}/found", params={"q": sought})
    assert answer.status_code == 200, answer.text
    options = LexborHTMLParser(answer.text).css("[role=option]")
    return {
        (one.css_first("span") or one).text(strip=True): str(one.attributes["href"])
        for one in options
    }


async def test_every_type_of_object_is_found_by_a_part_of_its_name(
    api: ControlApi, visitor: Visitor, customer: Customer
) -> None:
    site = await customer.make_property(name="Harbour site")
    slot = await customer.make_slot(site["id"], name="Harbour slot", key="harbour-top")
    campaign = await customer.make_campaign(site["id"], "live", name="The HARBOUR sale")
    ad = await customer.make_ad(campaign["id"], name="harbour ad")
    key = await api.add_key(
        visitor.person, KeyKind.SECRET, Environment.LIVE, property_id=site["id"]
    )
    await customer.execute("update keys set name = 'harbour key' where id = :id", id=key.id)
    await visitor.act("/profile", act="name", name="Harbour Master")

    found = await _found(visitor, "harbour")

    assert found["The HARBOUR sale"] == f"/live/campaigns/{campaign['id']}"
    assert found["harbour ad"] == f"/live/ads/{ad['id']}"
    assert found["Harbour site"] == f"/live/properties/{site['id']}"
    assert found["Harbour slot"] == f"/live/properties/{site['id']}/slots/{slot['id']}"
    assert found["harbour key"] == f"/live/keys/sdk/{key.id}"
    assert found["Harbour Master"].startswith("/members/")


async def test_an_object_is_found_by_its_id(visitor: Visitor, customer: Customer) -> None:
    site = await customer.make_property(name="By id")

    assert list(await _found(visitor, site["id"].upper())) == ["By id"]


async def test_test_campaigns_are_found_in_test_alone(visitor: Visitor, customer: Customer) -> None:
    campaign = await customer.make_campaign(await customer.make_site(), "test", name="Only tried")

    assert await _found(visitor, "only tried") == {}
    found = await _found(visitor, "only tried", "test")
    assert found == {"Only tried": f"/test/campaigns/{campaign['id']}"}


async def test_another_accounts_objects_are_not_found(api: ControlApi, customer: Customer) -> None:
    site = await customer.make_property(name="Nobody else")
    async with visiting(api, await api.sign_up()) as outsider:
        assert await _found(outsider, "nobody else") == {}
        assert await _found(outsider, site["id"]) == {}


async def test_pages_and_actions_are_those_of_the_users_role(
    api: ControlApi, visitor: Visitor
) -> None:
    own = await _found(visitor, "")
    _, analyst = await a_member(api, visitor.person, "analyst")
    async with visiting(api, analyst) as reader:
        reads = await _found(reader, "")

    assert {"New campaign", "Stop all live serving", "Invite a member", "Wallet"} <= own.keys()
    assert {"Overview", "Campaigns", "Switch to TEST"} <= reads.keys()
    assert reads.keys().isdisjoint({"New campaign", "Stop all live serving", "Invite a member"})


async def test_pages_are_found_by_their_name_in_the_users_language(visitor: Visitor) -> None:
    page = await visitor.look("/live/found?q=carteira", language="pt-BR")

    assert [one.text(strip=True) for one in page.css("[role=option]")] == ["Carteira"]


async def test_a_search_shows_few_objects_of_a_type_the_newest_first(
    visitor: Visitor, customer: Customer
) -> None:
    site = await customer.make_site()
    for number in range(MAX_OF_TYPE + 2):
        await customer.make_campaign(site, "live", name=f"Row {number}")

    found = [label for label in await _found(visitor, "row ") if label.startswith("Row ")]

    assert found == [f"Row {number}" for number in range(MAX_OF_TYPE + 1, 1, -1)]


async def test_signs_of_patterns_and_nul_are_searched_as_they_are(
    visitor: Visitor, customer: Customer
) -> None:
    await customer.make_property(name="100% sure")

    assert "100% sure" in await _found(visitor, "0% s")
    assert await _found(visitor, "_%_") == {}


async def test_too_many_searches_in_a_second_are_refused(api: ControlApi, visitor: Visitor) -> None:
    running, api.control.clock = api.control.clock, FixedClock(api.control.clock.now_ms())
    try:
        codes = [(await visitor.http.get("/live/found?q=x")).status_code for _ in range(30)]
    finally:
        api.control.clock = running

    assert codes[0] == 200
    assert codes[-1] == 429


async def test_the_search_is_also_a_page(visitor: Visitor, customer: Customer) -> None:
    site = await customer.make_property(name="Plain page")

    page = await visitor.look("/live/search?q=plain")

    assert page.css_first(f"main a[href='/live/properties/{site['id']}']") is not None
    assert "Nothing matches" in text_of(await visitor.look("/live/search?q=qqqqq"))


_FOUND = "strpos(lower({0}), lower('x')) > 0"
_SEARCHES = {
    table: f"explain select {name} from {table} where account_id = :account and environment = 'live'"  # noqa: S608 - constants
    f" and {_FOUND.format(name)} order by id desc limit 6"
    for table, name in (("campaigns", "name"), ("ads", "name"), ("assets", "filename"))
}


@pytest.mark.parametrize("table", _SEARCHES)
async def test_an_index_alone_answers_a_search_in_a_large_table(
    api: ControlApi, visitor: Visitor, table: str
) -> None:
    """With row security: its condition must not force the database to read the rows."""
    async with api.control.database.tenant(visitor.person.account_id) as session:
        await session.execute(text("set local enable_seqscan = off"))
        await session.execute(text("set local enable_bitmapscan = off"))
        await session.execute(text("set local enable_sort = off"))
        rows = await session.scalars(text(_SEARCHES[table]), {"account": visitor.person.account_id})
        plan = "\n".join(rows)

    assert f"Index Only Scan Backward using ix_{table}_list" in plan
