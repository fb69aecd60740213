"""The demo page of a one-machine stack."""

import re
from collections.abc import Iterator

import orjson
import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.support.control_api import ControlApi
from tests.support.forms import the
from tests.support.http_client import http_client

_DEMO = {
    "account_id": "01900000-0000-7000-8000-000000000001",
    "property": {"id": "01900000-0000-7000-8000-000000000002"},
    "edge_live_url": "http://127.0.0.1:8080",
    "edge_test_url": "http://127.0.0.1:8081",
    "keys": {"pk_live": {"key": "pk_live_x"}, "pk_test": {"key": "pk_test_x"}},
    "slots": {"banner": {"key": "banner"}, "native": {"key": "native"}},
}
_PLACES = ("banner", "native", "text", "html", "video", "audio", "email", "house")


@pytest.fixture
def running_demo(api: ControlApi) -> Iterator[None]:
    """The file by which a running stack is found."""
    path = api.control.settings.state / "demo.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(orjson.dumps(_DEMO))
    yield
    path.unlink()


async def test_an_icon_is_found_where_browsers_look_for_it(api: ControlApi) -> None:
    async with http_client(base_url=api.http.base_url, follow_redirects=True) as reader:
        icon = await reader.get("/favicon.ico")

    assert (icon.status_code, icon.headers["content-type"]) == (200, "image/svg+xml")


@pytest.mark.usefixtures("running_demo")
@pytest.mark.parametrize(("environment", "port"), [("live", 8080), ("test", 8081)])
async def test_the_web_library_shows_the_ads_of_the_demo(
    api: ControlApi, environment: str, port: int
) -> None:
    async with http_client(base_url=api.http.base_url) as reader:
        page = await reader.get("/demo", params={"environment": environment})

    key = f"pk_{environment}_x"
    slots = re.findall(rf'<service-ad publisher-key="{key}" slot-id="(\w+)"', page.text)
    assert sorted(slots) == sorted(_PLACES)
    assert "/sdk/placard.js" in page.text
    policy = page.headers["content-security-policy"]
    assert f"connect-src 'self' http://127.0.0.1:{port};" in policy
    assert "unsafe" not in policy


@pytest.mark.usefixtures("running_demo")
async def test_only_its_test_edition_explains_the_reasons_of_requests_without_an_ad(
    api: ControlApi,
) -> None:
    async with http_client(base_url=api.http.base_url) as reader:
        live = await reader.get("/demo")
        test = await reader.get("/demo", params={"environment": "test"})

    assert "<dt>cap_not_known</dt>" in test.text
    assert "<dt>cap_not_known</dt>" not in live.text


@pytest.mark.usefixtures("running_demo")
async def test_events_of_the_demo_are_for_callers_on_this_machine(api: ControlApi) -> None:
    async with http_client(base_url=api.http.base_url) as reader:
        forwarded = await reader.get("/demo/events", headers={"X-Forwarded-For": "203.0.113.9"})

    assert forwarded.status_code == 404


@pytest.mark.usefixtures("running_demo")
async def test_the_landing_page_shows_the_click_id_and_its_pixel(api: ControlApi) -> None:
    click_id = "01900000-0000-7000-8000-0000000000aa.tag-1"
    async with http_client(base_url=api.http.base_url) as reader:
        page = await reader.get("/demo/landing", params={"sa_click_id": click_id})
        without = await reader.get("/demo/landing", params={"sa_click_id": "<b>"})

    pixel = f"http://127.0.0.1:8080/v1/conversions/{click_id}.gif?event_name=purchase"
    assert f'data-pixel="{pixel}"' in page.text
    assert "img-src 'self' http://127.0.0.1:8080;" in page.headers["content-security-policy"]
    assert "data-pixel" not in without.text


@pytest.mark.usefixtures("running_demo")
async def test_the_landing_page_of_a_test_ad_reports_to_the_test_edge(api: ControlApi) -> None:
    click_id = "01900000-0000-7000-8000-0000000000aa.tag-1"
    query = {"sa_click_id": click_id, "environment": "test"}
    async with http_client(base_url=api.http.base_url) as reader:
        page = await reader.get("/demo/landing", params=query)

    assert f'data-pixel="http://127.0.0.1:8081/v1/conversions/{click_id}.gif' in page.text


@pytest.mark.usefixtures("running_demo")
@pytest.mark.parametrize(
    ("language", "heading", "clicked"),
    [
        ("en", "The Demonstration Post", "You clicked the ad"),
        ("es-MX", "El Correo de la Demostración", "Hiciste clic en el anuncio"),
        ("pt-BR", "O Correio da Demonstração", "Você clicou no anúncio"),
    ],
)
async def test_pages_of_the_demo_are_in_the_readers_language(
    api: ControlApi, language: str, heading: str, clicked: str
) -> None:
    headers = {"Accept-Language": language}
    async with http_client(base_url=api.http.base_url, headers=headers) as reader:
        page = await reader.get("/demo")
        landing = await reader.get("/demo/landing")

    tag = "es" if language == "es-MX" else language
    assert f'<html lang="{tag}">' in page.text
    assert f"<h1>{heading}</h1>" in page.text
    assert f"<h1>{clicked}</h1>" in landing.text


@pytest.mark.usefixtures("running_demo")
async def test_the_paper_has_the_date_of_the_readers_time_zone(api: ControlApi) -> None:
    datelines = set()
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):  # 25 hours apart
        cookies = {"placard_timezone": zone.replace("/", "%2F")}
        async with http_client(base_url=api.http.base_url, cookies=cookies) as reader:
            page = LexborHTMLParser((await reader.get("/demo")).text)
        datelines.add(the(page, ".dateline span").text())

    assert len(datelines) == 2
