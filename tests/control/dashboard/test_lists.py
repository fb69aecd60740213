"""Lists: search by name, pages in both directions, how many there are, and acts that are taken back."""

from urllib.parse import urlencode, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser
from sqlalchemy import func, select

from control.api.listing import MAX_COUNTED, Counted, count_rows
from control.dashboard.rendering import HERE
from tests.control.identity.members.people import a_member
from tests.support.control_api import ControlApi
from tests.support.forms import attribute, sent_of
from tests.support.money import earn, top_up
from tests.support.resources import Customer
from tests.support.visitor import Visitor, text_of


def _names(page: LexborHTMLParser) -> list[str]:
    return [link.text(strip=True) for link in page.css("tbody th a")]


def _link(page: LexborHTMLParser, words: str) -> str:
    links = [one for one in page.css("nav.pages a") if one.text(strip=True) == words]
    assert len(links) == 1, text_of(page)
    return str(links[0].attributes["href"])


async def test_every_list_is_searched_by_name(visitor: Visitor, customer: Customer) -> None:
    for word in ("North", "South"):
        site = await customer.make_property(name=f"{word} site")
        await customer.make_sdk_key(site["id"], name=f"{word} key", environment="live")
        campaign = await customer.make_campaign(site["id"], "live", name=f"{word} campaign")
        await customer.make_ad(campaign["id"], name=f"{word} ad")
        for name in ("North", "South"):
            await customer.make_slot(site["id"], name=f"{name} slot")
    slots = f"/live/properties/{site['id']}"
    for path, kind in (
        ("/live/properties", "site"),
        ("/live/keys", "key"),
        ("/live/campaigns", "campaign"),
        ("/live/ads", "ad"),
        (slots, "slot"),
    ):
        assert _names(await visitor.look(f"{path}?q=NORTH")) == [f"North {kind}"], path
        assert _names(await visitor.look(f"{path}?q=nowhere")) == [], path


async def test_members_are_searched_by_address(api: ControlApi, visitor: Visitor) -> None:
    _, member = await a_member(api, visitor.person, "analyst")

    found = await visitor.look(f"/members?q={member.email}")

    assert _names(found) == ["Bruno"]
    assert "No members match." in text_of(await visitor.look("/members?q=nobody"))


async def test_a_list_leads_forwards_and_back_and_says_how_many_there_are(
    visitor: Visitor, customer: Customer
) -> None:
    for number in range(45):
        await customer.make_property(name=f"P{number}")
    first = await visitor.look("/live/properties?q=p")
    second = await visitor.look(_link(first, "Next page"))
    third = await visitor.look(_link(second, "Next page"))
    back = await visitor.look(_link(third, "Previous page"))

    assert len(_names(third)) == 5
    assert _names(back) == _names(second)
    assert _names(await visitor.look(_link(back, "Previous page"))) == _names(first)
    assert _names(await visitor.look(_link(third, "First page"))) == _names(first)
    assert "45 in this list" in text_of(third)
    assert "Previous page" not in text_of(first)


async def _make_two_of_each(api: ControlApi, visitor: Visitor, customer: Customer) -> None:
    """Views, exports, privacy requests, top-ups, payouts and members. Signing up and in made two sessions."""
    site = await customer.make_site()
    account_id, (campaign,) = visitor.person.account_id, [await customer.make_campaign(site)]
    for number in range(2):
        await visitor.act("/live/reports?range=28d", act="save_view", name=f"View {number}")
        await visitor.send("/live/reports", act="export", file_format="csv")
        await visitor.act("/privacy", uid=f"reader-{number}", kind="export")
        await top_up(api.control, account_id, 5_000)
        await earn(api.control, account_id, campaign["id"], site, 10_000_000)
        await visitor.act("/payouts", property_id=site, amount_cents="5.00")
    await a_member(api, visitor.person, "analyst")


@pytest.mark.parametrize(
    ("path", "listed"),
    [
        ("/profile", "/v1/sessions?"),
        ("/members", "/v1/members?"),
        ("/audit-log", "/v1/audit-log?"),
        ("/privacy", "/v1/privacy/requests?"),
        ("/wallet", "/v1/wallet/entries?"),
        ("/payouts", "/v1/payouts?"),
        ("/live/reports/views", "/v1/reports/views?environment=live&"),
        ("/live/reports/exports", "/v1/reports/exports?environment=live&"),
    ],
)
async def test_a_later_page_leads_back_and_says_how_many_there_are(
    api: ControlApi, visitor: Visitor, customer: Customer, path: str, listed: str
) -> None:
    await _make_two_of_each(api, visitor, customer)
    cursor = (await customer.get(f"{listed}limit=1")).json()["next_cursor"]
    count = len((await customer.get(f"{listed}limit=100")).json()["data"])

    first = await visitor.look(path)
    page = await visitor.look(f"{path}?{urlencode({'cursor': cursor, 'trail': '-'})}")

    assert count > 1
    assert f"{count} in this list" in text_of(first)
    assert f"{count} in this list" in text_of(page)
    assert _link(page, "First page") == _link(page, "Previous page") == path


async def test_more_objects_than_are_counted_are_said_to_be_more(api: ControlApi) -> None:
    series = func.generate_series(1, MAX_COUNTED + 5).table_valued("number").render_derived()
    async with api.control.database.service() as session:
        many = await count_rows(session, select(series.c.number))
        all_ = await count_rows(session, select(series.c.number).where(series.c.number < 8))

    assert many == Counted(MAX_COUNTED, has_more=True)
    assert all_ == Counted(7, has_more=False)


def test_every_page_of_a_list_says_how_many_there_are() -> None:
    """A template with a pager shows its count, too: both are in the macro."""
    without = [
        path.name
        for path in (HERE / "templates").rglob("*.html")
        if "pager" in (text := path.read_text("utf-8"))
        and "{{ pages(pager, number) }}" not in text
        and path.name != "parts.html"
    ]

    assert without == []


async def test_a_property_shows_how_many_slots_it_has(visitor: Visitor, customer: Customer) -> None:
    property_id = (await customer.make_property())["id"]
    for name in ("North", "South", "South 2"):
        await customer.make_slot(property_id, name=name)

    assert "3 in this list" in text_of(await visitor.look(f"/live/properties/{property_id}"))
    found = await visitor.look(f"/live/properties/{property_id}?q=south")
    assert "2 in this list" in text_of(found)


async def test_a_pause_of_many_campaigns_is_taken_back(
    visitor: Visitor, customer: Customer
) -> None:
    campaign = await customer.make_running_campaign(await customer.make_site())

    paused = await visitor.act("/live/campaigns", act="pause", ids=campaign["id"])
    form = paused.css_first(".undoable form")
    assert form is not None
    fields = {
        str(one.attributes["name"]): str(one.attributes["value"]) for one in form.css("input")
    }
    assert fields == {"act": "resume", "ids": campaign["id"]}
    again = await visitor.act(str(form.attributes["action"]), **fields)

    assert "active again" in text_of(again)
    shown = (await customer.get(f"/v1/campaigns/{campaign['id']}")).json()
    assert shown["status"] == "active"


@pytest.mark.parametrize("listed", ["campaigns", "ads"])
async def test_undo_leads_back_to_the_filtered_list(
    visitor: Visitor, customer: Customer, listed: str
) -> None:
    campaign = await customer.make_running_campaign(await customer.make_site())
    (ad,) = (await customer.get("/v1/ads?environment=live")).json()["data"]
    changed = {"campaigns": campaign, "ads": ad}[listed]["id"]

    paused = await visitor.act(f"/live/{listed}?q=spr&sort=name", act="pause", ids=changed)

    query = urlsplit(attribute(paused, ".undoable form", "action")).query
    assert "q=spr" in query
    assert ("sort=name" in query) is (listed == "campaigns")


async def test_the_tabs_of_members_keep_the_search(visitor: Visitor) -> None:
    page = await visitor.look("/members?q=ana")

    assert "/members?status=active&q=ana" in [one.attributes["href"] for one in page.css(".tabs a")]


async def test_a_pause_on_a_campaigns_page_is_taken_back(
    visitor: Visitor, customer: Customer
) -> None:
    campaign = await customer.make_running_campaign(await customer.make_site())
    path = f"/live/campaigns/{campaign['id']}"

    paused = await visitor.act(path, act="pause")
    form = paused.css_first(".undoable form")
    assert form is not None
    await visitor.act(str(form.attributes["action"]), act="resume")

    shown = (await customer.get(f"/v1/campaigns/{campaign['id']}")).json()
    assert shown["status"] == "active"


async def _undo(visitor: Visitor, page: LexborHTMLParser) -> LexborHTMLParser:
    """The page after the button of the message, which sends its form as it stands."""
    fields = sent_of(page, ".undoable form")
    return await visitor.act(attribute(page, ".undoable form", "action"), **fields)


async def test_an_archived_slot_is_taken_back_and_archived_again(
    visitor: Visitor, customer: Customer
) -> None:
    site = await customer.make_property()
    slot = await customer.make_slot(site["id"])
    path = f"/live/properties/{site['id']}/slots/{slot['id']}"
    statuses = []

    page = await visitor.act(path, **sent_of(await visitor.look(path), "details.confirm form"))
    for _ in range(2):
        page = await _undo(visitor, page)
        statuses.append((await customer.get(f"/v1/slots/{slot['id']}")).json()["status"])

    assert statuses == ["active", "archived"]


async def test_an_address_offers_no_undo_without_ids(visitor: Visitor) -> None:
    page = await visitor.look("/live/campaigns?flash=campaigns_pause&undo=x")

    assert page.css_first(".undoable") is None
