"""Hostile words in every text that an account can store, and every screen with them in a real browser: nothing runs."""

from collections.abc import Mapping
from typing import Any

import httpx
import pytest
from playwright.async_api import Browser

from control.dashboard.docs.guides import list_changelog
from control.dashboard.page import PageRoute
from control.dashboard.page_registry import SCREENS
from tests.control.events.ingest.world import Edge, World
from tests.control.matrix_registry import Maker
from tests.support.browser import Watched, opened, sign_in
from tests.support.control_api import ControlApi, Person
from tests.support.resources import CONTENT
from tests.support.site_world import edge, person, world

__all__ = ["edge", "person", "world"]

_WORDS = {
    "markup": (
        "\"'></title></textarea></script><script>window.__hit=1</script>"
        "<img src=x onerror=window.__hit=1><svg onload=window.__hit=1>"
    ),
    "attributes and characters": (
        'javascript:window.__hit=1//\' " autofocus onfocus=window.__hit=1 x="'
        "q{{7*7}}q${7*7}#{7*7}<%= 7*7 %>{% raw %}%(name)s%s%%"
        "\u202eexe.gpj\u2066\u200f\ufeff\U0001f4a3" + "W" * 50
    ),
}
"""Each at most 200 characters, which is what names may have."""
_TRAP = """
Object.defineProperty(window, "__hit", { set() { console.error("a stored script ran"); } });
for (const name of ["alert", "confirm", "prompt"]) window[name] = () => console.error("a stored script ran");
"""
_PLACES = (
    "properties",
    "slots",
    "campaigns",
    "ads",
    "assets",
    "sdk-keys",
    "integration-keys",
    "members",
    "reports/exports",
    "billing/invoices",
    "payouts",
    "privacy/requests",
)
_OF_SCREENS = {
    "asset": "assets",
    "campaign": "campaigns",
    "campaign_edit": "campaigns",
    "ad": "ads",
    "ad_edit": "ads",
    "property": "properties",
    "property_edit": "properties",
    "property_verify": "properties",
    "slot_create": "properties",
    "slot": "properties",
    "slot_edit": "properties",
    "member": "members",
    "export": "reports/exports",
    "invoice": "billing/invoices",
    "event": "events",
    "key": "sdk-keys",
    "privacy_request": "privacy/requests",
}
"""Whose id stands in a screen's path."""


@pytest.fixture
async def maker(api: ControlApi, person: Person, world: World, edge: Edge) -> Maker:
    """Of *person*'s account, which has one of each."""
    maker = Maker(api, person)
    for place in _PLACES:
        await maker.id_of(place)
    await world.ingest([edge.event()])
    events = await maker.customer.get("/v1/integration/events?environment=live&cursor=earliest")
    maker.ids["events"] = events.json()["data"][0]["id"]
    return maker


@pytest.mark.parametrize("words", _WORDS.values(), ids=_WORDS)
async def test_hostile_text_runs_on_no_screen_and_breaks_none(
    maker: Maker, chromium: Browser, words: str
) -> None:
    for path, body in _texts(maker, words):
        answer = await _patch(maker, path, body)
        assert answer.status_code == 200, (path, answer.text)
    async with opened(chromium) as seen:
        await seen.page.add_init_script(_TRAP)
        base_url = str(maker.api.http.base_url).rstrip("/")
        await sign_in(seen, base_url, maker.owner)
        for screen in SCREENS:
            if screen.name != "sign_out" and not screen.is_part:
                await _look(seen, base_url + _path_of(screen, maker.ids))


async def test_the_trap_detects_a_script_that_runs(chromium: Browser) -> None:
    async with opened(chromium) as seen:
        await seen.page.add_init_script(_TRAP)
        await seen.page.goto("data:text/html,<h1>Open</h1><img src=x onerror=window.__hit=1>")
        await seen.page.wait_for_function("document.images[0].complete")

        assert any("a stored script ran" in one for one in seen.faults)


async def test_ten_thousand_characters_are_refused_where_a_name_is_short(maker: Maker) -> None:
    long = "W" * 10_000
    for path, body in _texts(maker, long):
        answer = await _patch(maker, path, body)
        assert answer.status_code == 422, (path, answer.text)
        assert long not in answer.text


def _texts(maker: Maker, words: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Each object's path, and a change that puts *words* into all of its texts."""
    named: dict[str, Any] = {"name": words}
    places: dict[str, dict[str, Any]] = {
        "properties": named | {"payout": {"payee": words}},
        "slots": named,
        "campaigns": named | {"external_ref": words, "metadata": {"a key": words}},
        "ads": named | {"content": CONTENT | {"alt": words}},
        "sdk-keys": named,
        "integration-keys": named,
    }
    objects: list[tuple[str, Mapping[str, Any]]] = [
        (f"/v1/{place}/{maker.ids[place]}", body) for place, body in places.items()
    ]
    return [*objects, ("/v1/account", named), ("/v1/me", named)]


async def _patch(maker: Maker, path: str, body: Mapping[str, Any]) -> httpx.Response:
    version = (await maker.customer.get(path)).json().get("version", 1)
    return await maker.customer.patch(path, version, body)


def _path_of(screen: PageRoute, ids: Mapping[str, str]) -> str:
    path = screen.path.replace("<family:str>", "sdk").replace("<slot:str>", ids["slots"])
    name = list_changelog()[0].name if screen.name == "changelog_part" else "first-ad"
    path = path.replace("<name:str>", name)
    if "<id:str>" in path:
        path = path.replace("<id:str>", ids[_OF_SCREENS[screen.name]])
    return f"/live{path}" if screen.of_environment else path


async def _look(seen: Watched, address: str) -> None:
    answer = await seen.page.goto(address)
    assert answer is not None
    assert answer.status == 200, (address, answer.status)
    assert await seen.page.locator("h1").count() == 1, address
    assert "q49q" not in await seen.page.content(), address
    assert await seen.page.locator("a[href^='javascript:' i]").count() == 0, address
    unexpected = [one for one in seen.faults if "ERR_" not in one]
    assert unexpected == []
