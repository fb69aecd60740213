"""The demo page of a one-machine stack."""

import re
from collections.abc import Iterator

import httpx
import orjson
import pytest

from tests.support.control_api import ControlApi

_DEMO = {
    "account_id": "01900000-0000-7000-8000-000000000001",
    "property": {"id": "01900000-0000-7000-8000-000000000002"},
    "edge_live_url": "http://127.0.0.1:8080",
    "keys": {"pk_live": {"key": "pk_live_x"}},
    "slots": {"banner": {"key": "banner"}, "native": {"key": "native"}},
}


@pytest.fixture
def running_demo(api: ControlApi) -> Iterator[None]:
    """The file by which a running stack is found."""
    path = api.control.settings.state / "demo.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(orjson.dumps(_DEMO))
    yield
    path.unlink()


async def test_an_icon_is_found_where_browsers_look_for_it(api: ControlApi) -> None:
    async with httpx.AsyncClient(base_url=api.http.base_url, follow_redirects=True) as reader:
        icon = await reader.get("/favicon.ico")

    assert (icon.status_code, icon.headers["content-type"]) == (200, "image/svg+xml")


@pytest.mark.usefixtures("running_demo")
async def test_its_ads_are_the_web_librarys(api: ControlApi) -> None:
    async with httpx.AsyncClient(base_url=api.http.base_url) as reader:
        page = await reader.get("/demo")
        library = re.search(r'src="(/sdk/placard\.js\?v=[0-9a-f]{12})"', page.text)
        assert library is not None
        script = await reader.get(library[1])

    slots = re.findall(r'<service-ad publisher-key="pk_live_x" slot-id="(\w+)"', page.text)
    assert slots == ["banner", "native"]
    assert "http://127.0.0.1:8080" in page.headers["content-security-policy"]
    assert script.headers["cache-control"].endswith("immutable")


@pytest.mark.usefixtures("running_demo")
async def test_its_landing_page_shows_the_click_id_and_its_pixel(api: ControlApi) -> None:
    click_id = "01900000-0000-7000-8000-0000000000aa.tag-1"
    async with httpx.AsyncClient(base_url=api.http.base_url) as reader:
        page = await reader.get("/demo/landing", params={"sa_click_id": click_id})
        without = await reader.get("/demo/landing", params={"sa_click_id": "<b>"})

    pixel = f"http://127.0.0.1:8080/v1/conversions/{click_id}.gif?event_name=purchase"
    assert f'data-pixel="{pixel}"' in page.text
    assert "img-src 'self' http://127.0.0.1:8080;" in page.headers["content-security-policy"]
    assert "data-pixel" not in without.text


@pytest.mark.usefixtures("running_demo")
@pytest.mark.parametrize(
    ("language", "heading", "clicked"),
    [
        ("en", "Ads of every format", "You clicked the ad"),
        ("es-MX", "Anuncios de todos los formatos", "Hiciste clic en el anuncio"),
        ("pt-BR", "Anúncios de todos os formatos", "Você clicou no anúncio"),
    ],
)
async def test_its_pages_are_in_the_readers_language(
    api: ControlApi, language: str, heading: str, clicked: str
) -> None:
    headers = {"Accept-Language": language}
    async with httpx.AsyncClient(base_url=api.http.base_url, headers=headers) as reader:
        page = await reader.get("/demo")
        landing = await reader.get("/demo/landing")

    tag = "es" if language == "es-MX" else language
    assert f'<html lang="{tag}">' in page.text
    assert f"<h1>{heading}</h1>" in page.text
    assert f"<h1>{clicked}</h1>" in landing.text
