"""Campaigns are imported from the lines of a file: created, changed, left as they are, or refused with the reason."""

from typing import Any

import orjson
import pytest
from playwright.async_api import Browser, expect
from selectolax.lexbor import LexborHTMLParser

from control.dashboard.campaigns.import_file import MAX_LINES
from tests.control.identity.members.people import a_member
from tests.support.browser import opened, sign_in
from tests.support.control_api import ControlApi
from tests.support.forms import error_at, the
from tests.support.resources import Customer
from tests.support.visitor import FROM_OUR_PAGE, Visitor, text_of, visiting

_PATH = "/test/campaigns/import"
_HEADING = "external_ref,name,bid_cents,budget.total_cents,end_at\n"
_OUTCOMES = ("created", "updated", "unchanged", "refused")


@pytest.fixture
async def site(api: ControlApi, visitor: Visitor) -> str:
    return str((await Customer(api, visitor.person).make_property())["id"])


async def _import(visitor: Visitor, site: str, lines: str, **fields: Any) -> LexborHTMLParser:
    form = {
        "property_ids": site,
        "objective": "awareness",
        "pricing_model": "cpm",
        "timezone": "UTC",
        "existing": "keep",
    }
    answer = await visitor.send(_PATH, lines=lines, **form | fields)
    return LexborHTMLParser(answer.text)


def _counts(page: LexborHTMLParser) -> dict[str, int]:
    return {one: int(the(page, f"[data-count={one}]").text()) for one in _OUTCOMES}


def _left(page: LexborHTMLParser) -> str:
    return the(page, "textarea[name=lines]").text()


async def _campaigns(api: ControlApi, visitor: Visitor) -> dict[str, Any]:
    listed = await Customer(api, visitor.person).get("/v1/campaigns?environment=test&limit=100")
    return {one["external_ref"]: one for one in listed.json()["data"]}


async def test_each_line_becomes_a_draft_by_the_form_s_values_and_its_own(
    api: ControlApi, visitor: Visitor, site: str
) -> None:
    lines = (
        "external_ref,name,bid_cents,pricing_model,budget.total_cents,end_at\n"
        "4711,Spring,250,,5000,2040-04-01 00:00\n4712,Summer,30,cpc,,\n"
    )
    page = await _import(visitor, site, lines, timezone="America/Sao_Paulo")
    made = await _campaigns(api, visitor)

    assert _counts(page) == {"created": 2, "updated": 0, "unchanged": 0, "refused": 0}
    assert _left(page) == ""
    spring, summer = made["4711"], made["4712"]
    assert (spring["status"], spring["bid_cents"], spring["pricing_model"]) == ("draft", 250, "cpm")
    assert spring["budget"]["total_cents"] == 5000
    assert spring["end_at"] == "2040-04-01T03:00:00.000Z"
    assert (summer["pricing_model"], summer["timezone"]) == ("cpc", "America/Sao_Paulo")
    assert f"/test/campaigns/{spring['id']}" in str(page.html)


async def test_a_second_import_creates_nothing_twice(
    api: ControlApi, visitor: Visitor, site: str
) -> None:
    lines = f"{_HEADING}4711,Spring,250,,\n4712,Summer,300,,\n"
    await _import(visitor, site, lines)

    page = await _import(visitor, site, f"{lines}4713,Autumn,300,,\n")

    assert _counts(page) == {"created": 1, "updated": 0, "unchanged": 2, "refused": 0}
    assert set(await _campaigns(api, visitor)) == {"4711", "4712", "4713"}


async def test_an_import_changes_what_exists_where_it_is_asked_to(
    api: ControlApi, visitor: Visitor, site: str
) -> None:
    await _import(visitor, site, f"{_HEADING}4711,Spring,250,5000,\n")

    page = await _import(
        visitor,
        site,
        "external_ref,name,bid_cents\n4711,Late spring,300\n4712,Summer,300\n",
        existing="update",
        objective="traffic",
    )
    changed = (await _campaigns(api, visitor))["4711"]

    assert _counts(page) == {"created": 1, "updated": 1, "unchanged": 0, "refused": 0}
    assert (changed["name"], changed["bid_cents"]) == ("Late spring", 300)
    assert changed["budget"]["total_cents"] == 5000
    assert changed["objective"] == "awareness"


async def test_refused_lines_have_their_reasons_and_stay_in_the_form(
    api: ControlApi, visitor: Visitor, site: str
) -> None:
    wrong = "4712,,much,,2020-01-01\n,No id,250,,\n4714,Too long,250,,,,x\n"

    page = await _import(visitor, site, f"{_HEADING}4711,Spring,250,,\n{wrong}")
    rows = [
        " ".join(row.text(separator=" ").split()) for row in page.css("#import-result tbody tr")
    ]

    assert _counts(page) == {"created": 1, "updated": 0, "unchanged": 0, "refused": 3}
    assert "name : This field is required" in rows[1]
    assert "bid_cents : Enter a whole number, like 10." in rows[1]
    assert "external_ref : Give each line an id of your own" in rows[2]
    assert "The line has 7 values for 5 columns." in rows[3]
    left = [_HEADING.strip(), *(line.rstrip(",") for line in wrong.splitlines())]
    assert _left(page).splitlines() == left
    assert set(await _campaigns(api, visitor)) == {"4711"}


@pytest.mark.parametrize("lines", ["", "external_ref,title\n1,Spring\n"])
async def test_a_file_that_cannot_be_read_is_refused_at_its_field(
    visitor: Visitor, site: str, lines: str
) -> None:
    page = await _import(visitor, site, lines)

    assert error_at(page, "lines")
    assert page.css_first("#import-result") is None


async def test_a_script_receives_the_progress_and_then_the_page(
    visitor: Visitor, site: str
) -> None:
    form = {"lines": f"{_HEADING}1,A,250,,\n2,B,250,,\n", "property_ids": site}
    form |= {"objective": "awareness", "pricing_model": "cpm", "timezone": "UTC"}
    answer = await visitor.http.post(
        _PATH, data=form, headers=FROM_OUR_PAGE | {"Placard-Progress": "1"}
    )
    parts = [orjson.loads(line) for line in answer.text.splitlines()]

    assert answer.headers["content-type"].startswith("application/x-ndjson")
    assert parts[:2] == [{"done": 1, "of": 2}, {"done": 2, "of": 2}]
    assert _counts(LexborHTMLParser(parts[2]["page"]))["created"] == 2


async def test_an_import_ends_where_the_user_is_signed_out(
    api: ControlApi, visitor: Visitor, site: str
) -> None:
    lines = "".join(f"{number},C{number},250\n" for number in range(MAX_LINES))
    form = {"lines": lines, "property_ids": site, "objective": "awareness"}
    form |= {"pricing_model": "cpm", "timezone": "UTC"}
    headers = FROM_OUR_PAGE | {"Placard-Progress": "1"}
    async with visitor.http.stream("POST", _PATH, data=form, headers=headers) as answer:
        parts = answer.aiter_lines()
        await anext(parts)
        await Customer(api, visitor.person).post("/v1/sessions/revoke-others", {})
        shown = [orjson.loads(line) async for line in parts][-1]

    page = LexborHTMLParser(shown["page"])
    created = _counts(page)["created"]
    assert "You are signed out." in text_of(page)
    assert 0 < created < MAX_LINES
    assert len(_left(page).splitlines()) == MAX_LINES - created


async def test_a_user_who_may_not_create_campaigns_has_no_import(
    api: ControlApi, visitor: Visitor
) -> None:
    _, analyst = await a_member(api, visitor.person, "analyst")
    async with visiting(api, analyst) as reader:
        listed = await reader.look("/test/campaigns")
        answer = await reader.http.get(_PATH)

    assert "/campaigns/import" not in str(listed.html)
    assert answer.status_code == 403


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
async def test_a_file_is_imported_in_a_browser(
    api: ControlApi, visitor: Visitor, chromium: Browser, encoding: str
) -> None:
    base_url = str(api.http.base_url).rstrip("/")
    content = f"{_HEADING}4711,Promoção,250,,\n4712,,250,,\n"
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, visitor.person)
        await seen.page.goto(f"{base_url}{_PATH}")
        await seen.page.get_by_label("File").set_input_files(
            {"name": "campaigns.csv", "mimeType": "text/csv", "buffer": content.encode(encoding)}
        )
        await expect(seen.page.locator("textarea[name=lines]")).to_have_value(content)
        await seen.page.locator("form[data-import] button.primary").click()
        await expect(seen.page.locator("#import-result")).to_be_focused()

        await expect(seen.page.locator("[data-count=created]")).to_have_text("1")
        await expect(seen.page.locator("[data-count=refused]")).to_have_text("1")
        await expect(seen.page.locator("[data-import-file]")).to_be_visible()
        await expect(seen.page.locator("textarea[name=lines]")).to_have_value(
            f"{_HEADING}4712,,250\n"
        )
        await seen.check_axe()
        seen.check()
    assert (await _campaigns(api, visitor))["4711"]["name"] == "Promoção"
