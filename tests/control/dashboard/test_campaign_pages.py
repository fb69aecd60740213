"""A campaign's page: what it shows, what can be done there, and by whom."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import orjson
import pytest
from selectolax.lexbor import LexborHTMLParser

from common.values.ids import new_id
from control.dashboard.campaigns.delivery_messages import missed_reason
from control.storage.tables.decisions import DecisionRow
from tests.control.events.ingest.world import Edge, World
from tests.support.control_api import ControlApi, Person
from tests.support.forms import attribute, the
from tests.support.resources import CONTENT_OF, WRAPPER, Customer
from tests.support.site_world import edge, person, visitor, world
from tests.support.visitor import Visitor, text_of

__all__ = ["edge", "person", "visitor", "world"]

NASTY = "<img src=x onerror=alert(1)>\"'{{7*7}}"


@pytest.fixture
def customer(api: ControlApi, person: Person) -> Customer:
    return Customer(api, person)


async def test_a_campaigns_page_shows_why_it_does_not_serve_and_links_to_the_remedy(
    customer: Customer, visitor: Visitor
) -> None:
    property_id = await customer.make_site()
    ended = await customer.make_running_campaign(property_id)
    await customer.execute(
        "update campaigns set end_at = now() - interval '1 day' where id = :id", id=ended["id"]
    )

    page = await visitor.look(f"/live/campaigns/{ended['id']}")

    why = the(page, "#why")
    assert "Why isn't it serving?" in why.text()
    assert "Its flight is over." in why.text()
    link = attribute(why, ".why a", "href")
    assert link == f"/live/campaigns/{ended['id']}/edit#f-end_at"


async def test_a_campaigns_page_shows_when_edges_cannot_look_up_its_frequency_caps(
    customer: Customer, visitor: Visitor
) -> None:
    property_id = await customer.make_site()
    day = {"interval": 1, "unit": "day"}
    cap = {"scope": "campaign", "event": "impression", "limit": 1, "window": day}
    capped = await customer.make_running_campaign(property_id, frequency_caps=[cap])
    other = await customer.make_running_campaign(property_id)
    now = customer.api.control.clock.now()
    await customer.execute(
        "insert into cap_lookups values (:property, false, :hour, :account, 1000, 2)",
        property=property_id,
        hour=now.replace(minute=0, second=0, microsecond=0),
        account=customer.person.account_id,
    )

    why = the(await visitor.look(f"/live/campaigns/{capped['id']}"), "#why")
    portuguese = await visitor.look(f"/live/campaigns/{capped['id']}", language="pt-BR")
    delivery = (await customer.get(f"/v1/campaigns/{capped['id']}/delivery")).json()
    uncapped = (await customer.get(f"/v1/campaigns/{other['id']}/delivery")).json()

    assert "could not read the frequency count in time" in why.text()
    assert attribute(why, ".why a", "href").endswith("/edit#f-frequency_caps.0.limit")
    assert "os servidores de borda não conseguiram saber a tempo" in text_of(portuguese)
    assert delivery["delivery_status"] == "delivering"
    assert delivery["delivery_reason"].startswith("caps_unknown: 2 of 1000 look-ups")
    assert uncapped["delivery_reason"] is None


async def test_a_campaigns_page_reads_its_terms_and_targeting_back_in_plain_words(
    customer: Customer, visitor: Visitor
) -> None:
    property_id = await customer.make_site()
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


@pytest.mark.parametrize(("ad_format", "content"), [*CONTENT_OF.items(), ("video", WRAPPER)])
async def test_a_campaigns_page_shows_an_ad_of_any_format(
    customer: Customer, visitor: Visitor, ad_format: str, content: dict[str, Any]
) -> None:
    campaign = await customer.make_campaign(await customer.make_site())
    await customer.make_ad(campaign["id"], name="Of its kind", format=ad_format, content=content)

    page = await visitor.look(f"/live/campaigns/{campaign['id']}")

    assert "Of its kind" in text_of(page)


async def test_an_explained_decision_is_shown_for_this_campaigns_ads(
    customer: Customer, visitor: Visitor
) -> None:
    property_id = await customer.make_site()
    campaign = await customer.make_running_campaign(
        property_id, targeting={"geo": {"include": [{"country": "br"}]}}
    )
    path = f"/live/campaigns/{campaign['id']}?slot={await customer.slot_of(property_id)}"

    there = await visitor.look(f"{path}&country=Brazil")
    elsewhere = await visitor.look(f"{path}&country=pt")

    assert "This campaign is shown." in the(there, "#explained").text()
    assert "location did not match" in the(elsewhere, "#explained").text()


async def test_every_signal_of_a_request_can_be_typed(customer: Customer, visitor: Visitor) -> None:
    property_id = await customer.make_site()
    campaign = await customer.make_running_campaign(
        property_id,
        targeting={
            "languages": ["pt"],
            "key_values": [{"key": "topic", "op": "in", "values": ["sports"]}],
        },
    )
    path = f"/live/campaigns/{campaign['id']}?slot={await customer.slot_of(property_id)}"

    fits = await visitor.look(f"{path}&languages=Portuguese,+fr&key_values=topic=sports,+plan=pro")
    other = await visitor.look(f"{path}&languages=Portuguese&key_values=topic=cars")
    wrong = await visitor.look(f"{path}&languages=Klingonese")

    assert "This campaign is shown." in the(fits, "#explained").text()
    assert "key-values did not match" in the(other, "#explained").text()
    assert "Languages of the visitor: Use a" in the(wrong, "#explained").text()
    assert the(wrong, "#ask-languages").attributes["value"] == "Klingonese"


async def test_recorded_decisions_of_the_last_minutes_are_counted(
    customer: Customer, visitor: Visitor
) -> None:
    property_id = await customer.make_site()
    campaign = await customer.make_running_campaign(property_id)
    slot_id = await customer.slot_of(property_id)
    for more in ({"campaign_id": campaign["id"]}, {"reason": "paced"}, {"reason": "paced"}):
        await _record(customer, property_id, slot_id, more)

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
    property_id = await customer.make_site()
    campaign = await customer.make_campaign(property_id, environment="test")
    path = f"/test/campaigns/{campaign['id']}"

    text = [text_of(await visitor.act(path, act=verb)) for verb in ("activate", "pause", "resume")]
    copy = await visitor.act(path, act="clone", name="Into live", environment="live")
    archived = await visitor.act(path, act="archive")

    assert "The campaign is active, but does not deliver yet." in text[0]
    assert "The campaign is paused." in text[1]
    assert "The campaign is active, but does not deliver yet." in text[2]
    assert "Into live" in text_of(copy)
    assert attribute(copy, "html", "data-environment") == "live"
    assert "Archived" in text_of(archived)
    assert archived.css_first("button[value=activate]") is None


async def test_a_refused_transition_shows_the_allowed_ones(
    customer: Customer, visitor: Visitor
) -> None:
    campaign = await customer.make_campaign(await customer.make_site())

    answer = await visitor.send(f"/live/campaigns/{campaign['id']}", act="pause")

    assert answer.status_code == 409
    assert "draft" in the(LexborHTMLParser(answer.text), "[role=alert]").text()


async def test_a_reviewing_account_hands_in_rejects_and_approves(
    customer: Customer, visitor: Visitor
) -> None:
    await customer.execute(
        "update accounts set review_required = true where id = :id", id=customer.person.account_id
    )
    campaign = await customer.make_campaign(await customer.make_site())
    path = f"/live/campaigns/{campaign['id']}"

    before = await visitor.look(path)
    waiting = await visitor.act(path, act="activate")
    rejected = await visitor.act(path, act="reject", reason="Too loud")

    assert "Submit for review" in text_of(before)
    assert "waiting for review" in text_of(waiting)
    assert "Too loud" in text_of(rejected)


async def test_one_button_launches_a_draft_with_its_ads(
    customer: Customer, visitor: Visitor
) -> None:
    campaign = await customer.make_campaign(await customer.make_site())
    path = f"/live/campaigns/{campaign['id']}"
    assert "Launch with its ads" not in text_of(await visitor.look(path))
    ad = await customer.make_ad(campaign["id"])
    page = await visitor.look(path)
    assert "Launch with its ads" in the(page, "#acts button[value=launch].primary").text()

    await visitor.act(path, act="launch")

    for shown in (f"/v1/campaigns/{campaign['id']}", f"/v1/ads/{ad['id']}"):
        answer = await customer.api.http.get(shown, headers=customer.person.headers)
        assert answer.json()["status"] == "active"


async def test_a_campaign_that_ended_years_ago_has_a_page(
    customer: Customer, visitor: Visitor
) -> None:
    flight = {"start_at": "2024-01-01T00:00:00Z", "end_at": "2024-02-01T00:00:00Z"}
    campaign = await customer.make_campaign(await customer.make_site(), **flight)

    page = await visitor.look(f"/live/campaigns/{campaign['id']}")

    assert the(page, "h1").text().strip() == campaign["name"]


@pytest.mark.parametrize("where", ["", "/edit"])
async def test_a_campaign_of_another_account_is_not_found(
    api: ControlApi, visitor: Visitor, where: str
) -> None:
    outsider = Customer(api, await api.sign_up())
    theirs = await outsider.make_campaign(await outsider.make_site())

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


async def test_a_flat_rate_is_the_most_that_its_campaign_costs(
    customer: Customer, visitor: Visitor
) -> None:
    flight = {"start_at": "2027-03-01T00:00:00Z", "end_at": "2027-04-01T00:00:00Z"}
    campaign = await customer.make_campaign(
        await customer.make_site(), pricing_model="flat_rate", bid_cents=90_000, **flight
    )

    page = text_of(await visitor.look(f"/live/campaigns/{campaign['id']}"))

    assert "Costs no more than the flat rate." in page
    assert "without a limit" not in page


async def test_a_campaigns_chart_shows_its_delivery_beside_its_plan(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    now = world.clock.now()
    campaign = await world.add_campaign(
        budget_cents=200, start_at=now - timedelta(days=2), end_at=now + timedelta(days=2)
    )
    await world.ingest([edge.event(campaign, price_micros=70_000) for _ in range(5)])

    page = await visitor.look(f"/live/campaigns/{campaign}")

    for line in (".reached", ".planned"):
        assert attribute(page, f"#daily-plot polyline{line}", "points").count(",") == 3
    today = [one.text() for one in the(page, "[aria-label='Daily delivery'] tbody tr").css("td")]
    assert today[0] == "5"
    assert today[-3:] == ["$0.35", "17.5%", "50%"]


async def test_a_draft_without_ads_offers_to_add_one_first(
    customer: Customer, visitor: Visitor
) -> None:
    made = await customer.make_campaign(
        await customer.make_site(), pricing_model="cpa", environment="test"
    )

    page = await visitor.look(f"/test/campaigns/{made['id']}")

    (first,) = page.css("#acts > .primary")
    assert first.text() == "Add an ad"
    conversions = the(page, "#conversions").text()
    assert "http://127.0.0.1:8081/v1/conversions" in conversions
    assert "/v1/conversions/CLICK_ID.gif?event_name=purchase" in conversions
    assert "test click" in conversions
    ways = [one.attributes["href"] for one in page.css("#conversions a")]
    new_key = f"/test/keys/new?kind=secret&property_id={made['property_ids'][0]}"
    assert ways == ["/test/first-steps/page", new_key, "/docs/guides/conversions"]
    assert "open" in the(page, "#conversions").attributes


@pytest.mark.parametrize("objective", ["awareness", "traffic", "engagement"])
async def test_every_campaign_says_how_to_report_conversions(
    customer: Customer, visitor: Visitor, objective: str
) -> None:
    made = await customer.make_campaign(await customer.make_site(), objective=objective)

    help_ = the(await visitor.look(f"/live/campaigns/{made['id']}"), "#conversions")

    assert "open" not in help_.attributes
    assert "/v1/conversions/CLICK_ID.gif" in help_.text()


async def test_a_video_of_this_host_plays_in_a_preview(visitor: Visitor) -> None:
    answer = await visitor.http.get("/live/campaigns")

    assert "media-src 'self' https:" in answer.headers["content-security-policy"]


def test_a_campaign_with_an_active_ad_is_not_told_to_add_one() -> None:
    """The reason is of the last 24 hours, and outlives the time without an ad."""
    assert missed_reason("no_candidate", has_active_ad=False).remedy == "Add an ad"
    assert missed_reason("no_candidate", has_active_ad=True).remedy == ""
