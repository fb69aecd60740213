"""The form of a campaign with its first ad: launched by one button, refused as a whole, and nothing typed is lost."""

from typing import Any

import pytest
from playwright.async_api import Browser, FilePayload, Route, expect
from selectolax.lexbor import LexborHTMLParser

from tests.e2e.journeys.seat import picture
from tests.support.browser import PHONE, check_width, opened, sign_in
from tests.support.control_api import ControlApi
from tests.support.forms import attribute, error_at, sent_of, the
from tests.support.resources import Customer
from tests.support.visitor import FROM_OUR_PAGE, Visitor, text_of

_FORM = ".campaign-form"
_NEW = "/live/campaigns/new"
_BANNER = {
    "ad.format": "banner",
    "ad.content.image_url": "https://cdn.example.com/a.png",
    "ad.content.width": "300",
    "ad.content.height": "250",
    "ad.content.alt": "A boat",
    "ad.click_url": "https://shop.example.com/",
}


@pytest.fixture
async def customer(api: ControlApi, visitor: Visitor) -> Customer:
    customer = Customer(api, visitor.person)
    await customer.make_property()
    return customer


async def _filled(visitor: Visitor, **more: str) -> dict[str, Any]:
    """The new form with a name and a bid."""
    sent = sent_of(await visitor.look(_NEW), _FORM)
    return sent | {"name": "Spring", "bid_cents": "2.50"} | more


async def _list(customer: Customer, kind: str) -> list[dict[str, Any]]:
    answer = await customer.get(f"/v1/{kind}?environment=live")
    return list(answer.json()["data"])


async def test_one_button_creates_and_activates_a_campaign_and_its_ad(
    customer: Customer, visitor: Visitor
) -> None:
    fields = await _filled(visitor, **_BANNER, act="launch")
    page = await visitor.act(_NEW, **fields)

    [campaign], [ad] = await _list(customer, "campaigns"), await _list(customer, "ads")
    assert "The campaign is active" in text_of(page)
    assert (campaign["status"], ad["status"]) == ("active", "active")
    assert (ad["campaign_id"], ad["name"]) == (campaign["id"], "Spring")
    assert ad["content"]["alt"] == "A boat"


async def test_the_other_button_saves_both_as_drafts(customer: Customer, visitor: Visitor) -> None:
    await visitor.act(_NEW, **await _filled(visitor, **_BANNER, **{"ad.name": "Boat"}))

    [campaign], [ad] = await _list(customer, "campaigns"), await _list(customer, "ads")
    assert (campaign["status"], ad["status"], ad["name"]) == ("draft", "draft", "Boat")


async def test_a_launch_without_an_ad_is_refused_at_the_format_and_stores_nothing(
    customer: Customer, visitor: Visitor
) -> None:
    answer = await visitor.send(_NEW, **await _filled(visitor, act="launch"))

    page = LexborHTMLParser(answer.text)
    assert answer.status_code == 422
    assert "Choose a format" in error_at(page, "ad.format")
    assert attribute(page, "#f-name", "value") == "Spring"
    assert await _list(customer, "campaigns") == []


async def test_faults_of_campaign_and_ad_are_shown_together_and_nothing_is_stored(
    customer: Customer, visitor: Visitor
) -> None:
    wrong = {"bid_cents": "much", "ad.click_url": "nowhere", "ad.content.width": "wide"}
    answer = await visitor.send(_NEW, **await _filled(visitor, **_BANNER | wrong, act="launch"))

    page = LexborHTMLParser(answer.text)
    assert answer.status_code == 422
    for name in wrong:
        assert error_at(page, name), name
    assert attribute(page, '[name="ad.content.alt"]', "value") == "A boat"
    assert attribute(page, '[name="ad.click_url"]', "value") == "nowhere"
    assert await _list(customer, "campaigns") == []


async def test_what_no_file_can_fill_is_refused_before_anything_is_stored(
    customer: Customer, visitor: Visitor
) -> None:
    """With a file the API leaves the content unchecked until it reads the file."""
    email = {"ad.format": "email", "ad.asset_ids.image": "01a00000-0000-7000-8000-000000000000"}
    answer = await visitor.send(_NEW, **await _filled(visitor, **email))

    page = LexborHTMLParser(answer.text)
    assert answer.status_code == 422
    assert "required" in error_at(page, "ad.content.alt")
    assert "required" in error_at(page, "ad.content.text_fallback")
    assert await _list(customer, "campaigns") == []


async def test_an_ad_without_a_picture_is_refused_at_the_field_of_the_file(
    customer: Customer, visitor: Visitor
) -> None:
    answer = await visitor.send(_NEW, **await _filled(visitor, **{"ad.format": "banner"}))

    page = LexborHTMLParser(answer.text)
    assert error_at(page, "ad.asset_ids.image") == "Upload or choose a file."
    assert error_at(page, "ad.content.image_url") == ""
    assert await _list(customer, "campaigns") == []


async def test_an_ad_that_is_refused_later_leaves_a_draft_whose_form_completes_it(
    customer: Customer, visitor: Visitor
) -> None:
    gone = "01a00000-0000-7000-8000-000000000000"
    fields = await _filled(
        visitor, **{"ad.format": "banner", "ad.asset_ids.image": gone}, act="launch"
    )
    answer = await visitor.send(_NEW, **fields)

    page = LexborHTMLParser(answer.text)
    [campaign] = await _list(customer, "campaigns")
    assert answer.status_code == 404
    assert "saved as a draft, without its ad" in text_of(page)
    assert campaign["status"] == "draft"
    path = attribute(page, _FORM, "action")
    assert path == f"/live/campaigns/{campaign['id']}/edit"
    again = sent_of(page, _FORM) | _BANNER
    again |= {"ad.asset_ids.image": "", "act": "launch"}
    done = await visitor.http.post(path, data=again, headers=FROM_OUR_PAGE)
    [campaign], [ad] = await _list(customer, "campaigns"), await _list(customer, "ads")
    assert done.status_code == 303
    assert (campaign["status"], ad["status"]) == ("active", "active")


async def test_a_refused_launch_leaves_drafts_and_the_form_of_both(
    customer: Customer, visitor: Visitor
) -> None:
    fields = await _filled(visitor, **_BANNER, end_at="2020-01-01T00:00", act="launch")
    answer = await visitor.send(_NEW, **fields)

    page = LexborHTMLParser(answer.text)
    [campaign], [ad] = await _list(customer, "campaigns"), await _list(customer, "ads")
    assert answer.status_code == 409
    assert "the launch was refused" in text_of(page)
    assert (campaign["status"], ad["status"]) == ("draft", "active")
    path = attribute(page, _FORM, "action")
    again = sent_of(page, _FORM) | {"end_at": "", "act": "launch"}
    done = await visitor.http.post(path, data=again, headers=FROM_OUR_PAGE)
    [campaign] = await _list(customer, "campaigns")
    assert done.status_code == 303
    assert campaign["status"] == "active"
    assert len(await _list(customer, "ads")) == 1


async def test_a_form_sent_twice_makes_one_campaign_with_one_ad(
    customer: Customer, visitor: Visitor
) -> None:
    fields = await _filled(visitor, **_BANNER)
    await visitor.send(_NEW, **fields)
    await visitor.send(_NEW, **fields)

    assert len(await _list(customer, "campaigns")) == 1
    assert len(await _list(customer, "ads")) == 1


@pytest.mark.usefixtures("customer")
async def test_without_a_script_the_fields_of_a_format_are_shown_on_demand(
    visitor: Visitor,
) -> None:
    fields = await _filled(visitor, **{"ad.format": "native"}, name="")
    answer = await visitor.send(_NEW, **fields, act="format")

    page = LexborHTMLParser(answer.text)
    assert answer.status_code == 200
    assert the(page, '[name="ad.content.title"]')
    assert not page.css_matches('[name="ad.content.image_url"], [name="ad.content.html"]')
    assert attribute(page, '[name="bid_cents"]', "value") == "2.50"
    assert not page.css_matches('[role="alert"]')


async def test_a_format_that_no_slot_of_the_chosen_properties_accepts_has_a_warning(
    customer: Customer, visitor: Visitor
) -> None:
    other = await customer.make_property(domain="other.example.com")
    await customer.make_slot(other["id"], formats=["native"])
    fields = await _filled(visitor, **{"ad.format": "native"})
    listed = (await customer.get("/v1/properties")).json()["data"]
    [first] = [one["id"] for one in listed if one["id"] != other["id"]]

    shown = {
        chosen: LexborHTMLParser(
            (await visitor.send(_NEW, **fields | {"property_ids": chosen, "act": "format"})).text
        )
        for chosen in (first, other["id"])
    }

    assert "No active slot" in the(shown[first], "#ad-slots").text()
    assert not the(shown[other["id"]], "#ad-slots").text().strip()


async def test_a_draft_without_ads_takes_its_first_one_in_its_own_form(
    customer: Customer, visitor: Visitor
) -> None:
    await visitor.act(_NEW, **await _filled(visitor))
    [campaign] = await _list(customer, "campaigns")
    path = f"/live/campaigns/{campaign['id']}/edit"
    sent = sent_of(await visitor.look(path), _FORM)

    await visitor.act(path, **sent | _BANNER | {"act": "launch"})

    [campaign], [ad] = await _list(customer, "campaigns"), await _list(customer, "ads")
    assert (campaign["status"], ad["status"]) == ("active", "active")
    assert not (await visitor.look(path)).css_matches('[name="ad.format"]')


async def test_what_was_typed_into_fields_that_are_not_shown_is_left_out(
    customer: Customer, visitor: Visitor
) -> None:
    hidden = {"share_of_voice_percent": "50", "goal.total": "x"}
    await visitor.act(_NEW, **await _filled(visitor, **hidden))

    [campaign] = await _list(customer, "campaigns")
    assert (campaign["share_of_voice_percent"], campaign["goal"]) == (None, None)


@pytest.mark.usefixtures("customer")
async def test_the_summary_names_only_what_is_missing(
    visitor: Visitor,
) -> None:
    fields = await _filled(visitor, **{"ad.format": "banner"}, bid_cents="")
    answer = await visitor.send(_NEW, **fields, act="format")

    named = [link.text() for link in LexborHTMLParser(answer.text).css("#plan a")]
    assert named == ["Bid (USD)", "Image"]
    whole = await visitor.send(_NEW, **await _filled(visitor, **_BANNER), act="format")
    assert not LexborHTMLParser(whole.text).css_matches("#plan a")


@pytest.mark.usefixtures("customer")
async def test_an_error_opens_its_own_section_and_the_others_stay_as_they_were(
    visitor: Visitor,
) -> None:
    wrong = {"frequency_caps.0.limit": "often", "metadata": "a: b"}
    shown = {"open.targeting": "1", "open.caps": "0", "open.attribution": "0", "open.more": "0"}
    answer = await visitor.send(_NEW, **await _filled(visitor, **wrong | shown))

    folds = LexborHTMLParser(answer.text).css("details.fold[open]")
    assert [one.attributes["id"] for one in folds] == ["part-targeting", "part-caps"]


async def _answer(route: Route) -> None:
    """As the host of assets would."""
    await route.fulfill(status=200, content_type="image/png", body=picture())


@pytest.mark.parametrize("width", [PHONE, 1440])
async def test_a_campaign_with_a_picture_is_launched_in_a_browser(
    api: ControlApi, chromium: Browser, customer: Customer, visitor: Visitor, width: int
) -> None:
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, width=width) as seen:
        await sign_in(seen, base_url, visitor.person)
        page = seen.page
        await page.route(f"{api.control.settings.assets_url}/**", _answer)
        await page.goto(base_url + _NEW)
        await expect(page.locator("[name=share_of_voice_percent]")).to_be_hidden()
        await page.locator("[name=priority]").select_option("sponsorship")
        await expect(page.locator("[name=share_of_voice_percent]")).to_be_visible()
        await page.locator("[name=priority]").select_option("auction")
        await page.locator("[name=name]").fill("Spring")
        await page.locator("[name=bid_cents]").fill("2.50")
        await page.get_by_role("radio", name="Banner").check()
        file = FilePayload(name="harbour.png", mimeType="image/png", buffer=picture())
        await page.locator("[data-file-field] input[type=file]").set_input_files(files=file)
        shown = page.locator("[data-shown] img")
        await expect(shown).to_be_visible()
        assert await shown.evaluate("(image) => image.decode().then(() => image.naturalWidth)")
        await seen.check_axe()
        await check_width(seen)

        await page.get_by_role("button", name="Launch", exact=True).click()

        await expect(page.get_by_role("heading", name="Spring", level=1)).to_be_visible()
        await expect(page.get_by_role("main")).to_contain_text("The campaign is active")
        seen.check()
    [ad] = await _list(customer, "ads")
    assert (ad["status"], ad["content"]["width"]) == ("active", 300)


@pytest.mark.usefixtures("customer")
async def test_the_first_field_with_an_error_has_the_focus_and_its_section_alone_opens(
    api: ControlApi, chromium: Browser, visitor: Visitor
) -> None:
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, visitor.person)
        page = seen.page
        await page.goto(base_url + _NEW)
        await page.locator("[name=name]").fill("Spring")
        await page.locator("[name=bid_cents]").fill("2.50")
        await page.locator("#part-attribution > summary").click()
        await page.locator("[name='attribution.click_window_hours']").fill("never")
        await page.locator("#part-attribution > summary").click()
        await page.locator("#part-more > summary").click()
        await page.get_by_role("button", name="Save as draft").click()

        await expect(page.locator("[name='attribution.click_window_hours']")).to_be_focused()
        opened_now = page.locator("details.fold[open]")
        await expect(opened_now).to_have_count(2)
        await expect(page.locator("#part-targeting, #part-caps")).to_have_count(2)
        await expect(page.locator("#part-more[open], #part-attribution[open]")).to_have_count(2)


async def test_a_week_is_painted_by_mouse_and_keyboard_and_its_rows_are_sent(
    api: ControlApi, chromium: Browser, customer: Customer, visitor: Visitor
) -> None:
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, timezone_id="Asia/Tokyo") as seen:
        await sign_in(seen, base_url, visitor.person)
        page = seen.page
        await page.goto(base_url + _NEW)
        await page.locator("[name=name]").fill("Spring")
        await page.locator("[name=bid_cents]").fill("2.50")
        await page.locator("#part-targeting > summary").click()
        week = page.get_by_role("grid", name="Hours of the week")
        await expect(page.locator("[data-week]")).to_contain_text("Times in Tokyo, Japan.")
        await week.get_by_role("gridcell", name="Mon 09:00").drag_to(
            week.get_by_role("gridcell", name="Fri 17:00")
        )
        await week.get_by_role("gridcell", name="Sat 23:00").focus()
        await page.keyboard.press("Space")
        await page.keyboard.press("Shift+ArrowRight")
        focused = week.get_by_role("gridcell", name="Sun 00:00")
        await expect(focused).to_be_focused()
        await expect(focused).to_have_attribute("aria-selected", "true")
        await seen.check_axe()
        await page.get_by_role("button", name="Save as draft").click()
        await expect(page.get_by_role("heading", name="Spring", level=1)).to_be_visible()
        seen.check()

    [campaign] = await _list(customer, "campaigns")
    assert campaign["timezone"] == "Asia/Tokyo"
    weekdays = ["mon", "tue", "wed", "thu", "fri"]
    assert campaign["targeting"]["dayparts"] == [
        {"days": weekdays, "start": "09:00", "end": "18:00"},
        {"days": ["sat"], "start": "23:00", "end": "24:00"},
        {"days": ["sun"], "start": "00:00", "end": "01:00"},
    ]


async def test_a_week_shows_windows_over_midnight_and_keeps_those_of_minutes(
    api: ControlApi, chromium: Browser, customer: Customer, visitor: Visitor
) -> None:
    [site] = (await customer.get("/v1/properties")).json()["data"]
    exact = {"days": ["mon"], "start": "08:30", "end": "10:00"}
    campaign = await customer.make_campaign(site["id"], targeting={"dayparts": [exact]})
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, width=PHONE) as seen:
        await sign_in(seen, base_url, visitor.person)
        page = seen.page
        await page.goto(f"{base_url}/live/campaigns/{campaign['id']}/edit")
        cell = page.get_by_role("grid").get_by_role("gridcell")
        await expect(cell.and_(page.locator("[aria-label^='Mon 08:00']"))).to_have_attribute(
            "aria-label", "Mon 08:00–09:00, part of the hour"
        )
        await page.get_by_role("button", name="Add another").first.click()
        row = page.locator("[data-row]").nth(2)
        await row.get_by_label("Sun").check()
        await row.get_by_label("From").fill("22:00")
        await row.get_by_label("To").fill("02:00")
        for name in ("Sun 23:00", "Mon 01:00"):
            await expect(page.get_by_role("gridcell", name=name)).to_have_attribute(
                "aria-selected", "true"
            )
        await page.get_by_role("gridcell", name="Wed 12:00").focus()
        await page.keyboard.press("Enter")
        await check_width(seen)
        await page.get_by_role("button", name="Save changes").click()
        await expect(page.get_by_role("main")).to_contain_text("The campaign is changed.")
        seen.check()

    now = (await customer.get(f"/v1/campaigns/{campaign['id']}")).json()["targeting"]["dayparts"]
    assert exact in now
    assert {"days": ["sun"], "start": "22:00", "end": "24:00"} in now
    assert {"days": ["mon"], "start": "00:00", "end": "02:00"} in now
    assert {"days": ["wed"], "start": "12:00", "end": "13:00"} in now
