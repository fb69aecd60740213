"""The reference at /docs: whole, and safe to show."""

import re
from html import unescape
from html.parser import HTMLParser

import httpx
import pytest

from common.contract.edge import EDGE_OPERATIONS
from common.values.errors import ErrorCode
from control.dashboard.docs.markdown import LANGUAGES
from control.processes.app import OPERATIONS
from tests.support.control_api import ControlApi, code_of

ALL = (*OPERATIONS, *EDGE_OPERATIONS)
_MAX_BYTES = 100_000
_VOID = {"meta", "link", "input", "br", "img", "hr"}


class _Page(HTMLParser):
    """What a page loads and leads to; ``unclosed`` is empty where every tag is closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.inline: list[str] = []
        self.unclosed: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids += [value for value in (given.get("id"),) if value]
        self.inline += [name for name in given if name.startswith("on") or name == "style"]
        if tag == "style" or (tag == "script" and "src" not in given):
            self.inline.append(tag)
        if tag in ("script", "link", "img"):
            self.loads.append(given.get("src") or given.get("href") or "")
        if tag == "a":
            self.links.append(given.get("href") or "")
        if tag not in _VOID:
            self.unclosed.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.unclosed.pop() == tag, self.getpos()


async def _all_pages(api: ControlApi) -> dict[str, httpx.Response]:
    """Every page that the first one leads to."""
    first = await api.http.get("/docs")
    found = {"/docs": first}
    for link in _Page(first.text).links:
        path = link.partition("#")[0]
        if path.startswith("/docs/") and path not in found:
            found[path] = await api.http.get(path)
    return found


async def test_every_operation_and_every_error_is_documented(api: ControlApi) -> None:
    pages = await _all_pages(api)
    ids = {anchor for page in pages.values() for anchor in _Page(page.text).ids}

    assert all(page.status_code == 200 for page in pages.values())
    assert {operation.id for operation in ALL} <= ids
    reported = {code for operation in ALL for code in operation.all_errors}
    assert {code.value for code in ErrorCode if code in reported} <= ids


async def test_pages_are_well_formed_and_their_links_exist(api: ControlApi) -> None:
    pages = await _all_pages(api)
    ids = {path: set(_Page(page.text).ids) for path, page in pages.items()}

    for path, page in pages.items():
        shown = _Page(page.text)
        assert shown.unclosed == []
        for link in shown.links:
            target, _, anchor = link.partition("#")
            if target in ("", *pages):
                assert not anchor or anchor in ids[target or path], link
            else:
                assert not (await api.http.get(target)).is_error, link


async def test_pages_have_no_inline_scripts_and_no_external_resources(api: ControlApi) -> None:
    for page in (await _all_pages(api)).values():
        policy = page.headers["content-security-policy"]
        shown = _Page(page.text)
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert shown.inline == []
        assert all(
            re.fullmatch(r"/docs/assets/[0-9a-f]{16}\.docs\.(css|js)", a) for a in shown.loads
        )


async def test_assets_of_the_reference_are_cached_for_ever_by_their_content(
    api: ControlApi,
) -> None:
    loads = _Page((await api.http.get("/docs")).text).loads

    assert len(loads) == 2
    for address in loads:
        asset = await api.http.get(address)
        assert asset.is_success
        assert "immutable" in asset.headers["cache-control"]
        assert asset.headers["x-content-type-options"] == "nosniff"
        stale = await api.http.get(address.replace("assets/", "assets/0"))
        assert stale.status_code == 404


async def test_pages_show_the_addresses_and_examples_of_this_deployment(api: ControlApi) -> None:
    text = unescape((await api.http.get("/docs/campaigns")).text)

    assert f"curl -X POST {api.control.settings.control_url}/v1/campaigns " in text
    assert "Authorization: Bearer ak_live_…" in text
    assert "/v1/campaigns?environment=" not in text  # a key has its own
    assert "campaign:write" in text


async def test_a_page_with_all_it_loads_is_small(api: ControlApi) -> None:
    async def transferred(path: str) -> int:
        answer = await api.http.get(path, headers={"Accept-Encoding": "gzip"})
        return int(answer.headers["content-length"])

    pages = await _all_pages(api)
    guide = await api.http.get("/docs/guides/first-ad")
    loads = {one for page in (*pages.values(), guide) for one in _Page(page.text).loads}
    shared = sum([await transferred(path) for path in loads])
    assert {path for path in pages if await transferred(path) + shared > _MAX_BYTES} == set()


async def test_every_operation_has_an_example_in_each_language_of_the_guides(
    api: ControlApi,
) -> None:
    (languages, *others) = [
        re.findall(r'<figure data-language="(\w+)">', article)
        for page in (await _all_pages(api)).values()
        for article in page.text.split("<article ")[1:]
    ]

    assert set(languages) == {*LANGUAGES} - {"html"}
    assert all(one == languages for one in others)
    assert len(others) + 1 == len(ALL)


@pytest.mark.parametrize(("tag", "label"), [("es", "Parámetros"), ("pt-BR", "Parâmetros")])
async def test_menus_and_labels_are_in_the_readers_language_and_texts_in_english(
    api: ControlApi, tag: str, label: str
) -> None:
    answer = await api.http.get("/docs/tracking", headers={"Accept-Language": tag})
    english = await api.http.get("/docs/tracking")

    assert f'<html lang="{tag}">' in answer.text
    assert '<main id="main" lang="en">' in answer.text
    assert f'<h3 lang="{tag}">{label}</h3>' in answer.text
    assert '<h3 lang="en">Parameters</h3>' in english.text
    described = [re.findall(r"<dd>(.*)", page.text) for page in (answer, english)]
    assert described[0] == described[1]
    assert answer.headers["vary"] == "Accept-Language, Cookie, Accept-Encoding"


@pytest.mark.parametrize("path", ["/docs/nothing", "/docs/layout", "/docs/assets/docs.css"])
async def test_an_unknown_page_is_not_found(api: ControlApi, path: str) -> None:
    answer = await api.http.get(path)

    assert (answer.status_code, code_of(answer)) == (404, "not_found")
