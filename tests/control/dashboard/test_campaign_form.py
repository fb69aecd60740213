"""Creating and editing a campaign in the dashboard's form."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from control.dashboard.routing import CHECK
from tests.support.control_api import ControlApi, Person
from tests.support.forms import error_at, sent_of, the
from tests.support.resources import Customer
from tests.support.visitor import FROM_OUR_PAGE, Visitor, text_of, visiting

FORM = ".campaign-form"


@pytest.fixture
async def person(api: ControlApi) -> Person:
    return await api.sign_up()


@pytest.fixture
async def visitor(api: ControlApi, person: Person) -> AsyncIterator[Visitor]:
    async with visiting(api, person) as found:
        yield found


@pytest.fixture
async def customer(api: ControlApi, person: Person) -> Customer:
    return Customer(api, person)


def _fields(property_id: str, **more: Any) -> dict[str, Any]:
    return {
        "name": "Spring",
        "objective": "traffic",
        "pricing_model": "cpm",
        "bid_cents": "2.50",
        "property_ids": property_id,
        "pacing": "even",
        "priority": "auction",
        "timezone": "America/Sao_Paulo",
    } | more


async def _only(customer: Customer, environment: str = "live") -> dict[str, Any]:
    found = (await customer.get(f"/v1/campaigns?environment={environment}")).json()["data"]
    assert len(found) == 1
    return dict(found[0])


async def test_a_form_creates_a_campaign_with_all_its_fields(
    customer: Customer, visitor: Visitor
) -> None:
    made = await customer.make_property()
    slot = await customer.make_slot(made["id"])

    page = await visitor.act(
        "/live/campaigns/new",
        **_fields(made["id"]),
        budget__total_cents="1,000.00",
        budget__daily_cents="50",
        start_at="2027-03-01T09:00",
        end_at="2027-04-01T00:00",
        goal__kind="clicks",
        goal__total="5000",
        external_ref="S-1",
        metadata="team: north\nbrief: https://x.example/1",
        targeting__geo__include="Brazil\nus-ca",
        targeting__geo__exclude="BR-SP",
        targeting__device__types=["mobile", "tablet"],
        targeting__languages="Portuguese, en-us",
        targeting__slots__include=slot["id"],
        targeting__keywords__any="News\nSport",
        targeting__segments__exclude="staff",
        targeting__dayparts__0__days=["mon", "fri"],
        targeting__dayparts__0__start="09:00",
        targeting__dayparts__0__end="18:00",
        targeting__key_values__3__key="section",
        targeting__key_values__3__op="in",
        targeting__key_values__3__values="home, world",
        frequency_caps__0__limit="3",
        frequency_caps__0__event="impression",
        frequency_caps__0__scope="campaign",
        frequency_caps__0__window__interval="1",
        frequency_caps__0__window__unit="day",
        frequency_caps__1__limit="",
        frequency_caps__1__event="impression",
        attribution__click_window_hours="48",
        attribution__view_window_hours="0",
        attribution__conversion_events="sale",
        attribution__bill_in_session="on",
        attribution__pixel_conversions_per_click="4",
    )

    found = await _only(customer)
    assert found["status"] == "draft"
    assert "saved as a draft" in (page.body.text() if page.body else "")
    assert found["bid_cents"] == 250
    assert found["budget"] == {"total_cents": 100_000, "daily_cents": 5_000}
    assert found["goal"] == {"kind": "clicks", "total": 5000}
    assert found["start_at"] == "2027-03-01T12:00:00.000Z"
    assert found["end_at"] == "2027-04-01T03:00:00.000Z"
    assert found["external_ref"] == "S-1"
    assert found["metadata"] == {"team": "north", "brief": "https://x.example/1"}
    assert found["targeting"] == {
        "geo": {
            "include": [{"country": "BR"}, {"country": "US", "region": "CA"}],
            "exclude": [{"country": "BR", "region": "SP"}],
        },
        "device": {"types": ["mobile", "tablet"]},
        "languages": ["pt", "en-US"],
        "slots": {"include": [slot["id"]]},
        "keywords": {"any": ["news", "sport"]},
        "segments": {"exclude": ["staff"]},
        "dayparts": [{"days": ["mon", "fri"], "start": "09:00", "end": "18:00"}],
        "key_values": [{"key": "section", "op": "in", "values": ["home", "world"]}],
    }
    assert found["frequency_caps"] == [
        {
            "scope": "campaign",
            "event": "impression",
            "limit": 3,
            "window": {"interval": 1, "unit": "day"},
        }
    ]
    assert found["attribution"] == {
        "click_window_hours": 48,
        "view_window_hours": 0,
        "conversion_events": ["sale"],
        "bill_in_session": True,
        "pixel_conversions_per_click": 4,
    }


async def test_saving_an_unchanged_form_changes_nothing(
    customer: Customer, visitor: Visitor
) -> None:
    made = await customer.make_property()
    campaign = await customer.make_campaign(
        made["id"],
        start_at="2027-03-01T09:00:30.250Z",
        budget={"total_cents": 123_456},
        frequency_caps=[
            {
                "scope": "ad",
                "event": "click",
                "limit": 1,
                "window": {"interval": 2, "unit": "week"},
            }
        ],
        targeting={
            "geo": {"include": [{"country": "gw"}, {"country": "br", "region": "sp"}]},
            "languages": ["pt-br", "fil"],
            "dayparts": [{"days": ["sun"], "start": "22:00", "end": "24:00"}],
        },
        metadata={"a": "b"},
    )
    path = f"/live/campaigns/{campaign['id']}/edit"

    sent = sent_of(await visitor.look(path), FORM)
    answer = await visitor.http.post(path, data=sent, headers=FROM_OUR_PAGE)

    assert answer.status_code == 303
    now = (await customer.get(f"/v1/campaigns/{campaign['id']}")).json()
    assert now == campaign


async def test_an_invalid_form_is_shown_again_with_its_input_and_the_api_error_at_each_field(
    customer: Customer, visitor: Visitor
) -> None:
    made = await customer.make_property()

    answer = await visitor.send(
        "/live/campaigns/new",
        **_fields(made["id"], name="", bid_cents="a lot"),
        targeting__geo__include="Brazil\nAtlantis\nLemuria",
        targeting__dayparts__4__days="mon",
        targeting__dayparts__4__start="18:00",
        targeting__dayparts__4__end="18:00",
    )

    page = LexborHTMLParser(answer.text)
    assert answer.status_code == 422
    assert "required" in error_at(page, "name")
    assert "Enter an amount" in error_at(page, "bid_cents")
    countries = error_at(page, "targeting.geo.include")
    assert "Atlantis: Name a country, like Brazil" in countries
    assert "Lemuria: Name a country, like Brazil" in countries
    assert "Brazil: " not in countries
    assert "must start before it ends" in error_at(page, "targeting.dayparts.4.end")
    assert 'value="a lot"' in answer.text
    assert (await customer.get("/v1/campaigns?environment=live")).json()["data"] == []


async def test_a_check_validates_the_form_and_creates_nothing(
    customer: Customer, visitor: Visitor
) -> None:
    made = await customer.make_property()
    good = _fields(made["id"], **{"budget.total_cents": "100"})
    bad = good | {"budget.daily_cents": "200"}
    headers = FROM_OUR_PAGE | {CHECK: "1"}

    fine = await visitor.http.post("/live/campaigns/new", data=good, headers=headers)
    wrong = await visitor.http.post("/live/campaigns/new", data=bad, headers=headers)

    assert (fine.status_code, wrong.status_code) == (200, 200)
    assert "about 40,000 impressions" in fine.text
    assert "cannot be more than" in error_at(LexborHTMLParser(wrong.text), "budget.daily_cents")
    assert (await customer.get("/v1/campaigns?environment=live")).json()["data"] == []


async def test_a_form_sent_twice_creates_one_campaign(customer: Customer, visitor: Visitor) -> None:
    made = await customer.make_property()
    fields = _fields(made["id"], once="0190-once")

    first = await visitor.send("/test/campaigns/new", **fields)
    second = await visitor.send("/test/campaigns/new", **fields)

    assert first.headers["location"] == second.headers["location"]
    assert (await _only(customer, "test"))["is_test"]


async def test_a_row_is_added_without_validation(customer: Customer, visitor: Visitor) -> None:
    await customer.make_property()

    answer = await visitor.send(
        "/live/campaigns/new", act="more", name="", frequency_caps__0__limit="2"
    )

    assert answer.status_code == 200
    assert 'name="frequency_caps.1.limit"' in answer.text
    assert 'role="alert"' not in answer.text


async def test_values_of_a_concurrent_edit_are_shown_in_words(
    customer: Customer, visitor: Visitor
) -> None:
    made = await customer.make_property()
    other = await customer.make_property(name="Second site")
    slot = await customer.make_slot(made["id"], name="Top of the page")
    campaign = await customer.make_campaign(made["id"])
    path = f"/live/campaigns/{campaign['id']}/edit"
    mine = sent_of(await visitor.look(path), FORM) | {"name": ["Mine"]}
    theirs = {
        "pacing": "asap",
        "property_ids": [made["id"], other["id"]],
        "goal": {"kind": "clicks", "total": 1200},
        "timezone": "America/Sao_Paulo",
        "attribution": {"bill_in_session": True},
        "frequency_caps": [
            {
                "event": "impression",
                "limit": 3,
                "scope": "campaign",
                "window": {"interval": 1, "unit": "day"},
            }
        ],
        "targeting": {
            "geo": {"include": [{"country": "BR"}]},
            "slots": {"include": [slot["id"]]},
        },
    }
    changed = await customer.patch(f"/v1/campaigns/{campaign['id']}", 1, theirs)
    assert changed.status_code == 200, changed.text

    answer = await visitor.http.post(path, data=mine, headers=FROM_OUR_PAGE)

    table = the(LexborHTMLParser(answer.text), "main [role=alert] table").text(separator=" ")
    shown = " ".join(table.split())
    assert "Even: spread over the flight As fast as possible Even" in shown
    assert f"{made['name']}, Second site" in shown
    assert "– 1,200 clicks –" in shown
    assert "UTC Sao Paulo, Brazil UTC" in shown
    assert "Off On Off" in shown
    assert "One person: at most 3 impressions a day, of the whole campaign." in shown
    assert "Only in Brazil ." in shown
    assert "Only in the slots Top of the page" in shown
    for raw in ("asap", "{", slot["id"], other["id"], "true"):
        assert raw not in shown


async def test_concurrent_edits_of_two_users_are_merged_and_shown(
    customer: Customer, visitor: Visitor
) -> None:
    made = await customer.make_property()
    campaign = await customer.make_campaign(made["id"], budget={"total_cents": 100_000})
    path = f"/live/campaigns/{campaign['id']}/edit"
    mine = sent_of(await visitor.look(path), FORM) | {"name": ["Mine"], "bid_cents": ["9.00"]}
    theirs = {"name": "Theirs", "budget": {"total_cents": 700_000}}
    assert (await customer.patch(f"/v1/campaigns/{campaign['id']}", 1, theirs)).status_code == 200

    answer = await visitor.http.post(path, data=mine, headers=FROM_OUR_PAGE)

    page = LexborHTMLParser(answer.text)
    assert answer.status_code == 412
    assert "Someone else changed this campaign" in text_of(page)
    table = text_of(page)
    assert "Name Spring Theirs Mine" in table
    assert "Total budget (USD) $1,000.00 $7,000.00 $1,000.00" in table
    assert len(page.css("[role=alert]")) == 1, "the general message asks for a new start"
    again = sent_of(page, FORM)
    saved = await visitor.http.post(path, data=again, headers=FROM_OUR_PAGE)
    assert saved.status_code == 303
    now = (await customer.get(f"/v1/campaigns/{campaign['id']}")).json()
    assert (now["name"], now["bid_cents"], now["budget"]["total_cents"]) == ("Mine", 900, 700_000)


@pytest.mark.parametrize(
    "base",
    [
        '{"budget": 5}',
        '{"attribution": [1]}',
        '{"targeting": {"slots": 3}}',
        '{"property_ids": 5}',
        "[]",
    ],
)
async def test_a_base_that_is_no_campaign_is_ignored(
    customer: Customer, visitor: Visitor, base: str
) -> None:
    made = await customer.make_property()
    campaign = await customer.make_campaign(made["id"])
    path = f"/live/campaigns/{campaign['id']}/edit"
    mine = sent_of(await visitor.look(path), FORM) | {"name": ["Mine"], "base": [base]}

    saved = await visitor.http.post(path, data=mine, headers=FROM_OUR_PAGE)
    conflict = await visitor.http.post(path, data=mine, headers=FROM_OUR_PAGE)

    assert (saved.status_code, conflict.status_code) == (303, 412)
