"""Ads in the dashboard: made, looked at, changed, started and stopped."""

from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.support.control_api import ControlApi
from tests.support.embedding import window_of
from tests.support.forms import attribute, error_at, sent_of
from tests.support.resources import CONTENT_OF, WRAPPER, Customer
from tests.support.visitor import Visitor, text_of


async def _ads(customer: Customer) -> list[dict[str, Any]]:
    answer = await customer.get("/v1/ads?environment=live")
    found: list[dict[str, Any]] = answer.json()["data"]
    return found


_FORMS: dict[str, dict[str, str]] = {
    "banner": {
        "content__image_url": "https://cdn.example.com/a.png",
        "content__width": "300",
        "content__height": "250",
        "content__alt": "A",
    },
    "html": {"content__html": "<b>Hi</b>", "content__width": "300", "content__height": "250"},
    "native": {"content__title": "Hi", "content__body": "There", "content__cta": ""},
    "audio": {
        "content__media__0__url": "https://cdn.example.com/a.mp3",
        "content__media__0__mime": "audio/mpeg",
        "content__media__0__duration_ms": "15,5",
        "content__media__1__mime": "audio/mpeg",
    },
    "video": {
        "content__media__0__url": "https://cdn.example.com/a.mp4",
        "content__media__0__mime": "video/mp4",
        "content__media__0__width": "640",
        "content__media__0__height": "360",
        "content__media__0__duration_ms": "15",
        "content__skip_offset_ms": "5",
        "content__poster": "https://cdn.example.com/a.png",
    },
    "email": {
        "content__image_url": "https://cdn.example.com/a.png",
        "content__width": "300",
        "content__height": "250",
        "content__alt": "A",
        "content__text_fallback": "Hi",
    },
}


@pytest.mark.parametrize("ad_format", _FORMS)
async def test_an_ad_of_each_format_is_made_and_shown(
    visitor: Visitor, customer: Customer, campaign: dict[str, Any], ad_format: str
) -> None:
    start = f"/live/ads/new?campaign_id={campaign['id']}&format={ad_format}"
    form = await visitor.look(start)
    assert "For the campaign Spring." in text_of(form)

    page = await visitor.act(
        start,
        format=ad_format,
        campaign_id=campaign["id"],
        name="My ad",
        click_url="https://shop.example.com/",
        **_FORMS[ad_format],
    )

    assert "The ad is saved as a draft." in text_of(page)
    assert page.css_first(f"figure.preview-{ad_format}") is not None
    [made] = await _ads(customer)
    assert (made["name"], made["format"], made["status"]) == ("My ad", ad_format, "draft")


async def test_seconds_become_milliseconds_and_empty_recordings_are_left_out(
    visitor: Visitor, customer: Customer, campaign: dict[str, Any]
) -> None:
    form = {"format": "audio", "campaign_id": campaign["id"], "name": "My ad"} | _FORMS["audio"]
    await visitor.act("/live/ads/new?format=audio", **form)

    [made] = await _ads(customer)
    assert [one["duration_ms"] for one in made["content"]["media"]] == [15_500]


async def test_the_form_without_a_format_requires_one(visitor: Visitor) -> None:
    page = await visitor.look("/live/ads/new")

    links = [link.attributes["href"] for link in page.css(".formats a")]
    assert links == [f"/live/ads/new?format={name}" for name in _FORMS]


async def test_a_format_that_no_slot_of_the_campaign_accepts_is_marked(
    visitor: Visitor, customer: Customer, campaign: dict[str, Any]
) -> None:
    [property_id] = campaign["property_ids"]
    await customer.make_slot(property_id, formats=["banner"])
    elsewhere = await customer.make_property(domain="other.example.com")
    await customer.make_slot(elsewhere["id"], formats=["video"])
    start = f"/live/ads/new?campaign_id={campaign['id']}"

    choice = await visitor.look(start)
    banner, video = [await visitor.look(f"{start}&format={one}") for one in ("banner", "video")]

    marked = {one.attributes["href"] for one in choice.css(".formats a") if one.css_first(".chip")}
    assert marked == {
        f"/live/ads/new?format={one}&campaign_id={campaign['id']}"
        for one in _FORMS
        if one != "banner"
    }
    assert "No active slot" not in text_of(banner)
    assert "No active slot of the campaign's properties accepts this format" in text_of(video)
    assert video.css_matches(f".warn a[href='/live/properties/{property_id}']")


async def test_an_invalid_form_is_shown_again_with_every_error_and_its_input(
    visitor: Visitor, customer: Customer, campaign: dict[str, Any]
) -> None:
    wrong = _FORMS["banner"] | {"content__width": "wide", "content__image_url": "http://x"}
    answer = await visitor.send(
        "/live/ads/new?format=banner", format="banner", campaign_id=campaign["id"], **wrong
    )

    assert answer.status_code == 422
    assert 'value="wide"' in answer.text
    for name in ("name", "content.width", "content.image_url"):
        assert f'href="#f-{name}"' in answer.text
    assert await _ads(customer) == []


async def test_a_check_shows_the_errors_and_creates_nothing(
    visitor: Visitor, customer: Customer, campaign: dict[str, Any]
) -> None:
    form = {"format": "banner", "campaign_id": campaign["id"], "content.width": "0"}
    check = {"Placard-Check": "1", "Sec-Fetch-Site": "same-origin"}
    wrong = await visitor.http.post("/live/ads/new?format=banner", data=form, headers=check)
    right = {name.replace("__", "."): value for name, value in _FORMS["banner"].items()}
    good = await visitor.http.post(
        "/live/ads/new?format=banner", data=form | {"name": "A"} | right, headers=check
    )

    assert (wrong.status_code, good.status_code) == (200, 200)
    assert error_at(LexborHTMLParser(wrong.text), "content.width") == "Must be at least 1."
    assert error_at(LexborHTMLParser(good.text), "content.width") == ""
    assert await _ads(customer) == []


_TARGETING = {
    "geo": {"include": [{"country": "br", "region": "sp"}], "exclude": []},
    "device": {"types": ["mobile"], "os": [], "browsers": ["safari"]},
    "languages": ["pt"],
    "dayparts": [{"days": ["mon", "fri"], "start": "09:00", "end": "18:00"}],
    "key_values": [{"key": "section", "op": "in", "values": ["news", "sport"]}],
    "keywords": {"any": ["run"], "none": []},
    "segments": {"include": [], "exclude": ["staff"]},
}


@pytest.mark.parametrize("ad_format", CONTENT_OF)
async def test_saving_the_form_as_it_is_changes_nothing_of_the_ad(
    visitor: Visitor, customer: Customer, campaign: dict[str, Any], ad_format: str
) -> None:
    ad = await customer.make_ad(
        campaign["id"],
        format=ad_format,
        content=CONTENT_OF[ad_format],
        weight=7,
        categories=["IAB7"],
        tracking={"impression_urls": ["https://count.example.com/"], "click_urls": []},
        targeting=_TARGETING,
    )
    path = f"/live/ads/{ad['id']}/edit"
    fields = sent_of(await visitor.look(path), "form[data-check]")

    saved = await visitor.http.post(path, data=fields, headers={"Sec-Fetch-Site": "same-origin"})

    assert saved.status_code == 303, saved.text
    [now] = await _ads(customer)
    for name in ("content", "weight", "categories", "tracking", "click_url", "name", "targeting"):
        assert now[name] == ad[name], name


_SCRIPT = {"vendor": "vendor.example-omid", "javascript_url": "https://omid.example.com/v.js"}
_AD_ID = {"registry": "ad-id.org", "value": "ABCD0001000H"}
_PLAYER_CONTENT: dict[str, tuple[str, dict[str, Any]]] = {
    "audio": ("audio", {"universal_ad_id": _AD_ID, "verifications": [_SCRIPT]}),
    "video": ("video", {"universal_ad_id": _AD_ID, "verifications": [_SCRIPT]}),
    "wrapper": (
        "video",
        {"media": []} | WRAPPER,
    ),
}


@pytest.mark.parametrize("kind", _PLAYER_CONTENT)
async def test_saving_the_form_keeps_content_that_it_does_not_show(
    visitor: Visitor, customer: Customer, campaign: dict[str, Any], kind: str
) -> None:
    ad_format, extra = _PLAYER_CONTENT[kind]
    content = ({} if kind == "wrapper" else CONTENT_OF[ad_format]) | extra
    ad = await customer.make_ad(campaign["id"], format=ad_format, content=content)
    path = f"/live/ads/{ad['id']}/edit"
    fields = sent_of(await visitor.look(path), "form[data-check]") | {"name": "Renamed"}

    saved = await visitor.http.post(path, data=fields, headers={"Sec-Fetch-Site": "same-origin"})

    assert saved.status_code == 303, saved.text
    [now] = await _ads(customer)
    assert (now["name"], now["content"]) == ("Renamed", ad["content"])


async def test_the_page_of_a_wrapper_has_the_address_and_the_length_of_the_other_ad(
    visitor: Visitor, customer: Customer, campaign: dict[str, Any]
) -> None:
    ad = await customer.make_ad(campaign["id"], format="video", content=WRAPPER)

    page = await visitor.look(f"/live/ads/{ad['id']}")

    assert "https://ads.example.com/vast" in text_of(page)
    assert "Length 15 s" in text_of(page)
    assert "Skippable" not in text_of(page)


async def test_an_ad_is_started_paused_resumed_and_archived(
    visitor: Visitor, customer: Customer, campaign: dict[str, Any]
) -> None:
    ad = await customer.make_ad(campaign["id"])
    path = f"/live/ads/{ad['id']}"
    seen = []
    for act in ("activate", "pause", "resume", "archive"):
        page = await visitor.act(path, act=act)
        seen += [chip.text() for chip in page.css(".heading .chip")]

    assert seen == ["Active", "Paused", "Active", "Archived"]


async def test_concurrent_changes_are_not_overwritten(
    visitor: Visitor, customer: Customer, campaign: dict[str, Any]
) -> None:
    ad = await customer.make_ad(campaign["id"])
    await customer.patch(f"/v1/ads/{ad['id']}", ad["version"], {"name": "Theirs"})

    answer = await visitor.send(
        f"/live/ads/{ad['id']}/edit", version=ad["version"], name="Mine", **_FORMS["banner"]
    )

    assert answer.status_code == 412
    assert [one["name"] for one in await _ads(customer)] == ["Theirs"]


async def test_an_ad_of_the_other_environment_is_not_shown(
    visitor: Visitor, customer: Customer, campaign: dict[str, Any]
) -> None:
    ad = await customer.make_ad(campaign["id"])

    await visitor.look(f"/test/ads/{ad['id']}", status=404)


async def test_the_list_is_filtered_by_its_address(
    visitor: Visitor, customer: Customer, campaign: dict[str, Any]
) -> None:
    await customer.make_ad(campaign["id"], name="Picture")
    await customer.make_ad(
        campaign["id"], name="Words", format="native", content=CONTENT_OF["native"]
    )

    page = await visitor.look("/live/ads?format=native")

    assert [one.text() for one in page.css("tbody th")] == ["Words"]
    nothing = await visitor.look("/live/ads?status=archived")
    assert "No ads match" in text_of(nothing)


async def test_without_a_campaign_the_list_shows_what_to_create_first(visitor: Visitor) -> None:
    assert "Create a campaign first" in text_of(await visitor.look("/live/ads"))


async def test_an_analyst_can_read_and_not_change(
    api: ControlApi, visitor: Visitor, customer: Customer, campaign: dict[str, Any]
) -> None:
    ad = await customer.make_ad(campaign["id"])
    async with api.control.database.service() as session:
        connection = await session.connection()
        await connection.exec_driver_sql(
            "update memberships set role = 'analyst' where user_id = $1",
            (visitor.person.user_id,),
        )

    page = await visitor.look(f"/live/ads/{ad['id']}")

    assert page.css("main form") == []
    await visitor.look("/live/ads/new", status=403)


async def test_an_ad_shows_how_it_narrows_the_targeting_of_its_campaign(
    visitor: Visitor, customer: Customer
) -> None:
    site = await customer.make_property()
    slot = await customer.make_slot(site["id"], name="Top")
    targeting = {"geo": {"include": [{"country": "br"}]}}
    campaign = await customer.make_campaign(site["id"], targeting=targeting)
    page = await visitor.act(
        f"/live/ads/new?campaign_id={campaign['id']}&format=banner",
        format="banner",
        campaign_id=campaign["id"],
        name="My ad",
        targeting__geo__include="BR-SP",
        targeting__device__types=["mobile"],
        targeting__languages="Portuguese",
        targeting__dayparts__0__days=["mon", "fri"],
        targeting__dayparts__0__start="09:00",
        targeting__dayparts__0__end="18:00",
        targeting__slots__exclude=slot["id"],
        **_FORMS["banner"],
    )

    [made] = await _ads(customer)
    assert made["targeting"] == {
        "geo": {"include": [{"country": "BR", "region": "SP"}]},
        "device": {"types": ["mobile"]},
        "languages": ["pt"],
        "dayparts": [{"days": ["mon", "fri"], "start": "09:00", "end": "18:00"}],
        "slots": {"exclude": [slot["id"]]},
    }
    text = text_of(page)
    assert "Campaign targeting Only in Brazil" in text
    assert "Ad targeting Only in BR-SP" in text
    assert "Never in the slots Top" in text


async def test_targeting_errors_are_shown_at_their_fields(
    visitor: Visitor, campaign: dict[str, Any]
) -> None:
    form = {
        "format": "banner",
        "campaign_id": campaign["id"],
        "name": "My ad",
        "targeting.geo.include": "Atlantis",
        "targeting.dayparts.3.days": "mon",
        "targeting.dayparts.3.start": "18:00",
        "targeting.dayparts.3.end": "18:00",
    } | {name.replace("__", "."): value for name, value in _FORMS["banner"].items()}
    check = {"Placard-Check": "1", "Sec-Fetch-Site": "same-origin"}
    answer = await visitor.http.post("/live/ads/new?format=banner", data=form, headers=check)

    page = LexborHTMLParser(answer.text)
    assert "Atlantis: Name a country, like Brazil" in error_at(page, "targeting.geo.include")
    assert "must start before it ends" in error_at(page, "targeting.dayparts.3.end")


async def test_adding_a_row_keeps_the_input_and_creates_nothing(
    visitor: Visitor, customer: Customer, campaign: dict[str, Any]
) -> None:
    form = {"format": "banner", "act": "more", "name": "My ad", "targeting.dayparts.0.days": "mon"}
    start = f"/live/ads/new?campaign_id={campaign['id']}&format=banner"
    answer = await visitor.http.post(start, data=form, headers={"Sec-Fetch-Site": "same-origin"})

    page = LexborHTMLParser(answer.text)
    assert answer.status_code == 200
    assert attribute(page, "#f-name", "value") == "My ad"
    assert page.css_matches('[name="targeting.dayparts.1.start"]')
    assert await _ads(customer) == []


async def test_a_window_for_ads_has_their_targeting(api: ControlApi, customer: Customer) -> None:
    site = await customer.make_property()
    campaign = await customer.make_campaign(site["id"])
    scopes = ["ad:write", "campaign:read", "property:read"]
    key = await customer.key_headers(site["id"], scopes=scopes)
    requested = {"component": "ad_create", "context": {"campaign_id": campaign["id"]}}
    async with window_of(api, key, **requested) as window:
        form = {"format": "banner", "name": "My ad", "targeting__keywords__any": "run"}
        sent = await window.send(f"{window.start}&format=banner", **form, **_FORMS["banner"])
        options = await window.get("/embed/s/live/choices?of=campaign")

    assert sent.status_code == 303, sent.text
    assert options.status_code == 404
    [made] = await _ads(customer)
    assert made["targeting"] == {"keywords": {"any": ["run"]}}
