"""Fields that choose among an account's objects find any of them, with a script and without."""

from typing import Any

import pytest
from playwright.async_api import Browser, expect
from selectolax.lexbor import LexborHTMLParser

from control.dashboard.i18n import LANGUAGE
from control.dashboard.pickers.queries import MAX_CHOICES
from tests.support.browser import PHONE, check_width, opened, sign_in
from tests.support.control_api import ControlApi
from tests.support.forms import attribute
from tests.support.resources import Customer
from tests.support.visitor import FROM_OUR_PAGE, Visitor, text_of, visiting

_MANY = """
insert into properties select (jsonb_populate_record(p, jsonb_build_object(
    'id', overlay(p.id placing 'f' || lpad(n::text, 7, '0') from 1), 'name', 'Site ' || n,
    'domain', 'site' || n || '.example'))).*
from properties p, generate_series(1000, 1000 + $1) n where p.id = $2
"""


@pytest.fixture
async def site(api: ControlApi, visitor: Visitor) -> dict[str, Any]:
    """The oldest of more properties than a field offers, called Harbour."""
    made = await Customer(api, visitor.person).make_property(name="Harbour")
    async with api.control.database.service() as session:
        connection = await session.connection()
        await connection.exec_driver_sql(_MANY, (MAX_CHOICES + 1, made["id"]))
    return made


def _options(page: LexborHTMLParser, name: str) -> list[str]:
    return [one.text().strip() for one in page.css(f'select[name="{name}"] option')]


async def test_a_picked_entry_is_removed_by_a_button_that_says_so(
    api: ControlApi, chromium: Browser, visitor: Visitor
) -> None:
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, visitor.person)
        page = seen.page
        await page.goto(f"{base_url}/live/campaigns/new")
        await page.locator("#part-targeting > summary").click()
        field = page.get_by_label("Only in")
        await field.fill("Brazil")
        await field.press("Enter")

        await page.get_by_role("button", name="Remove Brazil", exact=True).click()

        await expect(page.get_by_role("button", name="Remove Brazil")).to_have_count(0)
        await expect(field).to_be_focused()
        seen.check()


async def test_a_country_is_chosen_on_the_map_and_removed_there_or_in_the_list(
    api: ControlApi, chromium: Browser, visitor: Visitor
) -> None:
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, visitor.person)
        page = seen.page
        await page.context.add_cookies([{"name": LANGUAGE, "value": "pt_BR", "url": base_url}])
        await page.goto(f"{base_url}/live/campaigns/new")
        await page.locator("#part-targeting > summary").click()
        await page.get_by_role("button", name="Escolher no mapa").click()
        brazil, india = page.locator("path[data-country=br]"), page.locator("path[data-country=in]")
        listed = page.locator("[data-entries]:has([name='targeting.geo.include']) .entries")
        await brazil.click()
        await india.click()
        await expect(listed.locator("li")).to_have_count(2)
        await expect(listed).to_contain_text("Brasil")
        await expect(brazil).to_have_class("chosen")
        await brazil.click()
        await expect(listed).to_have_text("Índia ✕")

        await page.get_by_role("button", name="Remover Índia", exact=True).click()

        await expect(india).not_to_have_class("chosen")
        sent = page.locator("[name='targeting.geo.include']")
        await expect(sent).to_have_value("")
        await check_width(seen)
        await seen.check_axe()
        seen.check()


@pytest.mark.usefixtures("site")
async def test_without_a_script_a_search_keeps_the_input_and_creates_nothing(
    visitor: Visitor,
) -> None:
    form = {"kind": "publishable", "name": "Website", "find.property_id": "harb", "act": "find"}
    before = await visitor.look("/live/keys/new")
    answer = await visitor.http.post("/live/keys/new", data=form, headers=FROM_OUR_PAGE)
    page = LexborHTMLParser(answer.text)

    assert "Harbour" not in _options(before, "property_id")
    assert answer.status_code == 200
    assert "Harbour" in _options(page, "property_id")
    assert attribute(page, "#f-name", "value") == "Website"
    assert text_of(await visitor.look("/live/keys")).count("Website") == 0


async def test_a_pending_search_is_made_before_the_form_is_accepted(
    visitor: Visitor, site: dict[str, Any]
) -> None:
    form = {"kind": "publishable", "name": "Website", "property_id": site["id"]}
    typed = form | {"find.property_id": "harb", "found.property_id": ""}
    first = await visitor.http.post("/live/keys/new", data=typed, headers=FROM_OUR_PAGE)
    made = typed | {"found.property_id": "harb"}
    second = await visitor.http.post("/live/keys/new", data=made, headers=FROM_OUR_PAGE)

    assert 'value="harb"' in first.text
    assert "pk_live_" in second.text


async def test_the_chosen_option_is_offered_however_old_it_is(
    visitor: Visitor, site: dict[str, Any]
) -> None:
    page = await visitor.look(f"/live/keys/new?property_id={site['id']}")

    assert attribute(page, 'select[name="property_id"] option[selected]', "value") == site["id"]


async def test_a_few_options_are_simply_listed(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        await Customer(api, visitor.person).make_property(name="Harbour")
        page = await visitor.look("/live/keys/new")

    assert _options(page, "property_id") == ["Harbour"]
    assert not page.css_matches("[data-pick], [name^='find.']")


async def test_options_are_those_of_the_users_own_account(
    api: ControlApi, visitor: Visitor, site: dict[str, Any]
) -> None:
    mine = await visitor.http.get("/live/choices?of=property&q=HARB")
    async with visiting(api, await api.sign_up()) as other:
        theirs = await other.http.get("/live/choices?of=property&q=HARB")

    assert f'data-value="{site["id"]}"' in mine.text
    assert "Harbour" not in theirs.text
    assert "No names match." in theirs.text
    await visitor.look("/live/choices?of=nothing", status=404)


@pytest.mark.usefixtures("site")
async def test_with_a_script_a_user_searches_and_chooses_by_keyboard(
    api: ControlApi, chromium: Browser, visitor: Visitor
) -> None:
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, width=PHONE) as seen:
        await sign_in(seen, base_url, visitor.person)
        await seen.page.goto(f"{base_url}/live/keys/new")
        field = seen.page.get_by_role("combobox", name="Property")
        await field.fill("harb")
        await expect(seen.page.get_by_role("option")).to_have_text(["Harbour"])
        await seen.check_axe()
        await check_width(seen)
        await field.press("ArrowDown")
        await field.press("Enter")
        await expect(field).to_have_value("Harbour")
        await expect(seen.page.get_by_role("listbox")).to_have_count(0)
        await seen.page.get_by_label("Name").fill("Website")
        await seen.page.get_by_role("button", name="Create live key").click()
        await expect(seen.page.get_by_role("main")).to_contain_text("Harbour")
        seen.check()


@pytest.mark.usefixtures("site")
async def test_with_a_script_several_options_are_chosen_one_after_the_other(
    api: ControlApi, chromium: Browser, visitor: Visitor
) -> None:
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, visitor.person)
        await seen.page.goto(f"{base_url}/live/campaigns/new")
        sites = seen.page.get_by_role("group", name="Properties")
        field = sites.get_by_role("combobox")
        await field.fill("harb")
        await sites.get_by_role("option", name="Harbour").click()
        await expect(sites.get_by_role("checkbox", name="Harbour")).to_be_checked()
        await expect(field).to_have_value("")
        await seen.check_axe()
        seen.check()


async def test_a_time_zone_is_found_by_the_name_of_its_city_or_country(
    api: ControlApi, chromium: Browser, visitor: Visitor
) -> None:
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, timezone_id="America/Sao_Paulo") as seen:
        page = seen.page
        await sign_in(seen, base_url, visitor.person)
        await page.goto(f"{base_url}/live/campaigns/new")
        field = page.get_by_role("combobox", name="Time zone")
        await expect(field).to_have_value("Sao Paulo, Brazil")
        await field.fill("curacao")
        await expect(page.get_by_role("listbox").get_by_role("option")).to_have_text(
            ["Curaçao, Curaçao"]
        )
        await field.fill("japan")
        await page.get_by_role("listbox").get_by_role("option", name="Tokyo").click()
        await expect(page.locator("[name=timezone]")).to_have_value("Asia/Tokyo")
        seen.check()
