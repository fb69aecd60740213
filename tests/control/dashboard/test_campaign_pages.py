"""The list of campaigns and a campaign's page: what they show, what can be done there, and by whom."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import orjson
import pytest
from selectolax.lexbor import LexborHTMLParser
from sqlalchemy import text

from common.values.ids import new_id
from control.storage.tables.decisions import DecisionRow
from tests.support.control_api import ControlApi, Person
from tests.support.forms import attribute, the
from tests.support.resources import CONTENT_OF, Customer
from tests.support.visitor import Visitor, text_of, visiting

NASTY = "<img src=x onerror=alert(1)>\"'{{7*7}}"


@pytest.fixture
async def person(api: ControlApi) -> Person:
    return await api.sign_up()


@pytest.fixture
async def visitor(api: ControlApi, person: Person) -> AsyncIterator[Visitor]:
    async with visiting(api, person) as found:
        yield found


@pytest.fixture
def customer(api: ControlApi, person: Person) -> Customer:
    return Customer(api, person)


async def _property(customer: Customer) -> str:
    """Verified, with a slot for banners."""
    made = await customer.make_property()
    await customer.make_slot(made["id"], name="Top")
    async with customer.api.control.database.service() as session:
        await session.execute(
            text("update properties set status = 'verified' where id = :id"), {"id": made["id"]}
        )
    return str(made["id"])


async def _running(customer: Customer, property_id: str, **terms: Any) -> dict[str, Any]:
    campaign = await customer.make_campaign(property_id, **terms)
    ad = await customer.make_ad(campaign["id"])
    await customer.post(f"/v1/ads/{ad['id']}/activate")
    await customer.post(f"/v1/campaigns/{campaign['id']}/activate")
    return campaign | {"ad_id": ad["id"]}


async def _shown(customer: Customer, campaign: dict[str, Any], count: int, at: datetime) -> None:
    """Impressions in the hour of *at*, each charged 2 cents."""
    property_id = campaign["property_ids"][0]
    slots = (await customer.get(f"/v1/slots?property_id={property_id}")).json()["data"]
    micros = count * 20_000
    async with customer.api.control.database.service() as session:
        await session.execute(
            text(
                "insert into event_hourly (hour, property_id, slot_id, campaign_id, ad_id, kind, "
                "format, source, surface, is_test, reason, account_id, count, charged_micros, "
                "value_cents, last_at) values (:hour, :property, :slot, :campaign, :ad, "
                "'impression', 'banner', 'auction', 'web', false, 'ok', :account, :count, "
                ":micros, 0, :hour)"
            ),
            {
                "hour": at.replace(minute=0, second=0, microsecond=0),
                "property": UUID(property_id),
                "slot": UUID(slots[0]["id"]),
                "campaign": UUID(campaign["id"]),
                "ad": UUID(campaign["ad_id"]),
                "account": customer.person.account_id,
                "count": count,
                "micros": micros,
            },
        )
        await session.execute(
            text(
                "insert into campaign_spend (campaign_id, account_id, spent_micros, impressions, "
                "clicks, conversions, updated_at) values (:campaign, :account, :micros, :count, "
                "0, 0, :at)"
            ),
            {
                "campaign": campaign["id"],
                "account": customer.person.account_id,
                "micros": micros,
                "count": count,
                "at": at,
            },
        )


async def test_an_empty_list_says_what_to_make_first(visitor: Visitor) -> None:
    live = await visitor.look("/live/campaigns")
    test = await visitor.look("/test/campaigns")

    assert "No campaign yet" in text_of(live)
    assert live.css_first("main .empty a[href='/live/campaigns/new']")
    assert "No test campaign yet" in text_of(test)


async def test_pages_of_a_test_campaign_promise_no_end_of_its_budget(
    customer: Customer, visitor: Visitor
) -> None:
    property_id = await _property(customer)
    campaign = await customer.make_campaign(property_id, "test", budget={"total_cents": 300})

    listed = text_of(await visitor.look("/test/campaigns"))
    page = text_of(await visitor.look(f"/test/campaigns/{campaign['id']}"))

    assert "never charged" in listed
    assert "a test budget never ends" in page
    assert "Has a budget, which never ends in TEST" in page
    assert "left of" not in page
    assert "behind" not in page


async def test_the_list_says_how_each_paces_in_words(customer: Customer, visitor: Visitor) -> None:
    property_id = await _property(customer)
    now = datetime.now(UTC)  # noqa: TID251 - the API runs on the wall's clock
    campaign = await _running(
        customer,
        property_id,
        name="Half way",
        start_at=(now - timedelta(days=10)).isoformat(),
        end_at=(now + timedelta(days=10)).isoformat(),
        budget={"total_cents": 100_000},
    )
    await _shown(customer, campaign, 10_000, now)

    page = await visitor.look("/live/campaigns")

    shown = text_of(page)
    assert "Delivering" in shown
    assert "% of expected, behind" in shown
    assert "$200.00" in shown
    assert "10,000" in shown
    assert page.css_first(".campaigns svg.sparkline")


async def test_filters_and_order_stand_in_the_address_and_stay(
    customer: Customer, visitor: Visitor
) -> None:
    property_id = await _property(customer)
    for name in ("Spring b", "Spring a", "Autumn"):
        await customer.make_campaign(property_id, name=name)

    page = await visitor.look("/live/campaigns?q=spring&sort=name&status=draft")

    names = [node.text().strip() for node in page.css(".campaigns tbody th a")]
    assert names == ["Spring a", "Spring b"]
    assert attribute(page, "#q", "value") == "spring"
    assert attribute(page, "#sort option[selected]", "value") == "name"


async def test_a_long_list_goes_on_behind_its_last_row(
    customer: Customer, visitor: Visitor
) -> None:
    property_id = await _property(customer)
    for number in range(52):
        await customer.make_campaign(property_id, name=f"C{number:02d}")

    first = await visitor.look("/live/campaigns?sort=name")
    after = attribute(first, "a[rel=next]", "href")
    second = await visitor.look(after)

    assert len(first.css(".campaigns tbody tr")) == 50
    names = [node.text().strip() for node in second.css(".campaigns tbody th a")]
    assert names == ["C50", "C51"]


async def test_many_are_paused_at_once_and_what_is_refused_is_told(
    customer: Customer, visitor: Visitor
) -> None:
    property_id = await _property(customer)
    running = [await _running(customer, property_id, name=f"R{n}") for n in range(2)]
    draft = await customer.make_campaign(property_id, name="Not begun")

    paused = await visitor.act("/live/campaigns?sort=name", act="pause", ids=running[0]["id"])
    mixed = await visitor.send("/live/campaigns", act="pause", ids=[running[1]["id"], draft["id"]])

    assert "The selected campaigns are paused." in text_of(paused)
    page = LexborHTMLParser(mixed.text)
    assert mixed.status_code == 200
    assert "1 campaign was changed." in text_of(page)
    assert "Not begun" in the(page, "main .notice.bad").text()
    found = (await customer.get("/v1/campaigns?environment=live&sort=name")).json()["data"]
    assert [one["status"] for one in found] == ["draft", "paused", "paused"]


async def test_a_campaigns_page_says_why_it_does_not_serve_with_a_link_to_what_changes_it(
    customer: Customer, visitor: Visitor
) -> None:
    property_id = await _property(customer)
    ended = await _running(customer, property_id)
    async with customer.api.control.database.service() as session:
        await session.execute(
            text("update campaigns set end_at = now() - interval '1 day' where id = :id"),
            {"id": ended["id"]},
        )

    page = await visitor.look(f"/live/campaigns/{ended['id']}")

    why = the(page, "#why")
    assert "Why isn't it serving?" in why.text()
    assert "Its flight is over." in why.text()
    link = attribute(why, ".why a", "href")
    assert link == f"/live/campaigns/{ended['id']}/edit#f-end_at"


async def test_a_campaigns_page_says_when_edges_cannot_look_up_its_frequency_caps(
    customer: Customer, visitor: Visitor
) -> None:
    property_id = await _property(customer)
    day = {"interval": 1, "unit": "day"}
    cap = {"scope": "campaign", "event": "impression", "limit": 1, "window": day}
    capped = await _running(customer, property_id, frequency_caps=[cap])
    other = await _running(customer, property_id)
    now = customer.api.control.clock.now()
    async with customer.api.control.database.service() as session:
        await session.execute(
            text("insert into cap_lookups values (:property, false, :hour, :account, 1000, 2)"),
            {
                "property": property_id,
                "hour": now.replace(minute=0, second=0, microsecond=0),
                "account": customer.person.account_id,
            },
        )

    why = the(await visitor.look(f"/live/campaigns/{capped['id']}"), "#why")
    portuguese = await visitor.look(f"/live/campaigns/{capped['id']}", language="pt-BR")
    delivery = (await customer.get(f"/v1/campaigns/{capped['id']}/delivery")).json()
    uncapped = (await customer.get(f"/v1/campaigns/{other['id']}/delivery")).json()

    assert "could not read the frequency count in time" in why.text()
    assert attribute(why, ".why a", "href").endswith("/edit#f-frequency_caps.0.limit")
    assert "os edges não conseguiram saber a tempo" in text_of(portuguese)
    assert delivery["delivery_status"] == "delivering"
    assert delivery["delivery_reason"].startswith("caps_unknown: 2 of 1000 look-ups")
    assert uncapped["delivery_reason"] is None


async def test_a_campaigns_page_reads_its_terms_and_targeting_back_in_plain_words(
    customer: Customer, visitor: Visitor
) -> None:
    property_id = await _property(customer)
    campaign = await customer.make_campaign(
        property_id,
        budget={"total_cents": 100_000},
        targeting={
            "geo": {"include": [{"country": "br"}, {"country": "us", "region": "ca"}]},
            "keywords": {"none": ["war"]},
        },
        frequency_caps=[
            {
                "scope": "ad",
                "event": "click",
                "limit": 2,
                "window": {"interval": 3, "unit": "week"},
            }
        ],
    )

    english = text_of(await visitor.look(f"/live/campaigns/{campaign['id']}"))
    portuguese = text_of(await visitor.look(f"/live/campaigns/{campaign['id']}", language="pt-BR"))

    assert "Pays $2.00 for a thousand impressions" in english
    assert "Only in Brazil or US-CA" in english
    assert "Never on pages about war" in english
    assert "One person: at most 2 clicks in 3 weeks , of each ad" in english.replace(",", " ,")
    assert "Só em Brasil ou US-CA" in portuguese
    assert "Paga US$" in portuguese


@pytest.mark.parametrize("ad_format", sorted(CONTENT_OF))
async def test_a_campaigns_page_shows_an_ad_of_any_format(
    customer: Customer, visitor: Visitor, ad_format: str
) -> None:
    campaign = await customer.make_campaign(await _property(customer))
    content = CONTENT_OF[ad_format]
    await customer.make_ad(campaign["id"], name="Of its kind", format=ad_format, content=content)

    page = await visitor.look(f"/live/campaigns/{campaign['id']}")

    assert "Of its kind" in text_of(page)


async def test_a_decision_asked_on_purpose_is_told_of_this_campaigns_ads(
    customer: Customer, visitor: Visitor
) -> None:
    property_id = await _property(customer)
    campaign = await _running(
        customer, property_id, targeting={"geo": {"include": [{"country": "br"}]}}
    )
    slots = (await customer.get(f"/v1/slots?property_id={property_id}")).json()["data"]
    path = f"/live/campaigns/{campaign['id']}?slot={slots[0]['id']}"

    there = await visitor.look(f"{path}&country=Brazil")
    elsewhere = await visitor.look(f"{path}&country=pt")

    assert "This campaign is shown." in the(there, "#explained").text()
    assert "location did not match" in the(elsewhere, "#explained").text()


async def test_recorded_decisions_of_the_last_minutes_are_counted(
    customer: Customer, visitor: Visitor
) -> None:
    property_id = await _property(customer)
    campaign = await _running(customer, property_id)
    slots = (await customer.get(f"/v1/slots?property_id={property_id}")).json()["data"]
    for more in ({"campaign_id": campaign["id"]}, {"reason": "paced"}, {"reason": "paced"}):
        await _record(customer, property_id, slots[0]["id"], more)

    page = await visitor.look(f"/live/campaigns/{campaign['id']}")

    why = text_of(page)
    assert "Of 3 recorded decisions, this campaign won 1 and others won 0." in why
    assert "2 requests without an ad: Pacing held it back" in why


async def _record(customer: Customer, property_id: str, slot_id: str, more: dict[str, Any]) -> None:
    now = customer.api.control.clock.now()
    decision_id = new_id()
    body = {"id": decision_id, "at_ms": int(now.timestamp() * 1000), "slot_id": slot_id} | more
    row = DecisionRow(
        day=now.date(),
        id=UUID(decision_id),
        account_id=customer.person.account_id,
        property_id=UUID(property_id),
        is_test=False,
        body=orjson.dumps(body),
    )
    async with customer.api.control.database.service() as session:
        session.add(row)


async def test_a_campaign_is_activated_paused_resumed_cloned_and_archived_on_its_page(
    customer: Customer, visitor: Visitor
) -> None:
    property_id = await _property(customer)
    campaign = await customer.make_campaign(property_id, environment="test")
    path = f"/test/campaigns/{campaign['id']}"

    said = [text_of(await visitor.act(path, act=verb)) for verb in ("activate", "pause", "resume")]
    copy = await visitor.act(path, act="clone", name="Into live", environment="live")
    archived = await visitor.act(path, act="archive")

    assert "The campaign is active." in said[0]
    assert "The campaign is paused." in said[1]
    assert "The campaign is active again." in said[2]
    assert "Into live" in text_of(copy)
    assert attribute(copy, "html", "data-environment") == "live"
    assert "Archived" in text_of(archived)
    assert archived.css_first("button[value=activate]") is None


async def test_a_move_that_is_not_allowed_says_what_is(
    customer: Customer, visitor: Visitor
) -> None:
    campaign = await customer.make_campaign(await _property(customer))

    answer = await visitor.send(f"/live/campaigns/{campaign['id']}", act="pause")

    assert answer.status_code == 409
    assert "draft" in the(LexborHTMLParser(answer.text), "[role=alert]").text()


async def test_a_reviewing_account_hands_in_rejects_and_approves(
    customer: Customer, visitor: Visitor
) -> None:
    async with customer.api.control.database.service() as session:
        await session.execute(
            text("update accounts set review_required = true where id = :id"),
            {"id": customer.person.account_id},
        )
    campaign = await customer.make_campaign(await _property(customer))
    path = f"/live/campaigns/{campaign['id']}"

    before = await visitor.look(path)
    waiting = await visitor.act(path, act="activate")
    rejected = await visitor.act(path, act="reject", reason="Too loud")

    assert "Submit for review" in text_of(before)
    assert "waiting for review" in text_of(waiting)
    assert "Too loud" in text_of(rejected)


async def test_a_campaign_that_ended_years_ago_has_a_page(
    customer: Customer, visitor: Visitor
) -> None:
    flight = {"start_at": "2024-01-01T00:00:00Z", "end_at": "2024-02-01T00:00:00Z"}
    campaign = await customer.make_campaign(await _property(customer), **flight)

    page = await visitor.look(f"/live/campaigns/{campaign['id']}")

    assert the(page, "h1").text().strip() == campaign["name"]


@pytest.mark.parametrize("where", ["", "/edit"])
async def test_anothers_campaign_is_not_there(
    api: ControlApi, visitor: Visitor, where: str
) -> None:
    stranger = Customer(api, await api.sign_up())
    theirs = await stranger.make_campaign(await _property(stranger))

    page = await visitor.look(f"/live/campaigns/{theirs['id']}{where}", status=404)

    assert "Page not found" in text_of(page)


async def test_stored_text_never_becomes_markup(customer: Customer, visitor: Visitor) -> None:
    property_id = (await customer.make_property(name=NASTY))["id"]
    await customer.make_slot(property_id, name=NASTY)
    campaign = await customer.make_campaign(
        property_id,
        name=NASTY,
        external_ref=NASTY,
        metadata={NASTY: NASTY},
        targeting={
            "keywords": {"any": [NASTY]},
            "segments": {"exclude": [NASTY]},
            "key_values": [{"key": "k", "op": "in", "values": [NASTY]}],
        },
        attribution={"conversion_events": ["sale"]},
    )
    ad = await customer.make_ad(campaign["id"], name=NASTY)
    await customer.patch(f"/v1/ads/{ad['id']}", 1, {"name": NASTY})
    own = f"/live/campaigns/{campaign['id']}"

    for path in (
        "/live/campaigns",
        "/live/campaigns?q=%3Cimg",
        "/live/campaigns/new",
        own,
        f"{own}/edit",
    ):
        page = await visitor.look(path)
        assert page.css("[onerror]") == [], path
        assert "49" not in text_of(page).replace(campaign["id"], ""), path
