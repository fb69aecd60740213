"""The guides, the search and the changelog of ``/docs``."""

import re

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from playwright.async_api import Browser, expect
from selectolax.lexbor import LexborHTMLParser
from sqlalchemy import text

from control.dashboard.docs import guides
from control.dashboard.docs.markdown import plain_text
from control.foundation.languages import ENGLISH, LANGUAGES, tag_of
from tests.support.browser import DESK, PHONE, check_width, opened
from tests.support.control_api import ControlApi
from tests.support.forms import the
from tests.support.http_client import http_client
from tests.support.visitor import text_of, visiting

_MAX_BYTES = 100_000
_GUIDES = [one.path for one in guides.list_guides()]
_CHANGELOG = [one.path for one in guides.list_changelog()]
_TRANSLATIONS = [one for one in LANGUAGES if one != ENGLISH]
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


async def test_examples_have_the_readers_own_test_key(api: ControlApi) -> None:
    person = await api.sign_up()
    property_id = await api.add_property(person)
    body = {
        "property_id": property_id,
        "kind": "publishable",
        "environment": "test",
        "name": "Docs",
    }
    made = await api.http.post("/v1/sdk-keys", json=body, headers=person.headers)
    async with visiting(api, person) as visitor:
        page = await visitor.look("/docs/guides/first-ad")
    async with http_client(base_url=api.http.base_url) as outsider:
        answer = await outsider.get("/docs/guides/first-ad")

    blocks = [block.text() for block in page.css(".examples code")]
    assert len(blocks) == 6
    assert all(made.json()["key"] in block for block in blocks)
    assert all("demo-always-fill" in block for block in blocks)
    assert api.control.settings.edge_test_url in blocks[1]
    assert made.json()["key"] not in answer.text
    assert guides.TEST_KEY in answer.text
    assert "own test key" in answer.text
    assert answer.headers["cache-control"] == "no-store"


async def test_each_guide_leads_to_the_next_one(api: ControlApi) -> None:
    path: str | None = _GUIDES[0]
    seen = []
    while path:
        seen.append(path)
        page = LexborHTMLParser((await api.http.get(path)).text)
        following = page.css_first("a[rel=next]")
        path = following.attributes["href"] if following else None

    assert seen == _GUIDES


@pytest.mark.parametrize(
    "path", [*_GUIDES, *_CHANGELOG, "/docs/guides", "/docs/changelog", "/docs/search?q=ad"]
)
async def test_a_page_is_small(api: ControlApi, path: str) -> None:
    answer = await api.http.get(path)

    assert answer.status_code == 200
    assert len(answer.content) <= _MAX_BYTES


async def test_an_unknown_guide_is_not_found(api: ControlApi) -> None:
    assert (await api.http.get("/docs/guides/nothing")).status_code == 404


@pytest.mark.parametrize(
    ("query", "path"),
    [("Mailing+recipients", "/docs/guides/email"), ("prepareEmail", "#prepareEmail")],
)
async def test_the_search_finds_guides_and_operations(
    api: ControlApi, query: str, path: str
) -> None:
    page = LexborHTMLParser((await api.http.get(f"/docs/search?q={query}")).text)

    assert str(page.css("main h2 a")[0].attributes["href"]).endswith(path)


@pytest.mark.parametrize("query", ["", "zebra+crossing", "%22%3E%3Cb%3E"])
async def test_a_search_without_hits_says_so(api: ControlApi, query: str) -> None:
    answer = await api.http.get(f"/docs/search?q={query}")

    page = LexborHTMLParser(answer.text)
    assert answer.status_code == 200
    assert page.css("main h2") == []
    assert page.css("main b") == []


async def test_the_changelog_is_the_projects(api: ControlApi) -> None:
    page = LexborHTMLParser((await api.http.get("/docs/changelog")).text)

    assert page.css("main h2")[0].text() == guides.list_changelog()[0].version
    assert [link.attributes["href"] for link in page.css("main a")] == _CHANGELOG


async def test_an_unknown_part_of_the_changelog_is_not_found(api: ControlApi) -> None:
    assert (await api.http.get("/docs/changelog/0.0.0-added")).status_code == 404


def test_the_parts_of_the_changelog_are_its_versions_by_kind() -> None:
    parts = guides.parse_changelog(
        "# Changelog\n\n## Unreleased\n\n### Added\n\n- New.\n\n"
        "## 0.2.0 - 2026-01-02\n\n### Not yet\n\n- Old.\n"
    )

    assert [(one.name, one.version, one.kind) for one in parts] == [
        ("unreleased-added", "Unreleased", "Added"),
        ("0.2.0-not-yet", "0.2.0 - 2026-01-02", "Not yet"),
    ]
    assert "<li>Old.</li>" in parts[1].html


async def test_the_status_is_a_page_for_people(api: ControlApi) -> None:
    guide = LexborHTMLParser((await api.http.get("/docs/guides")).text)
    (link,) = [one for one in guide.css("nav a") if one.text() == "Status"]
    path = str(link.attributes["href"])
    async with api.control.database.service() as session:
        await session.execute(text("delete from edge_workers"))
    without = await _rows_of_status(api, path)
    async with api.control.database.service() as session:
        await session.execute(
            text(
                "insert into edge_workers (environment, worker, boot, epoch, version, ok, age_s, seen_at) "
                "values ('live', 'edge-1/0', 'b', 'e', 1, true, 0, :now)"
            ),
            {"now": api.control.clock.now()},
        )
    with_live = await _rows_of_status(api, path)

    assert without["Dashboard and API"] == "Running"
    assert without["Live ads"].startswith("No edge reported in the last minute.")
    assert with_live["Live ads"] == "Running"
    assert with_live["TEST ads"] == without["TEST ads"] == without["Live ads"]


async def _rows_of_status(api: ControlApi, path: str) -> dict[str, str]:
    answer = await api.http.get(path)
    assert answer.status_code == 200
    page = LexborHTMLParser(answer.text)
    labels, values = (
        [one.text(strip=True) for one in page.css(f"main {tag}")] for tag in ("dt", "dd")
    )
    return dict(zip(labels, values, strict=True))


async def test_the_frame_is_in_the_readers_language(api: ControlApi) -> None:
    answer = await api.http.get("/docs/guides", headers={"Accept-Language": "pt-BR"})

    page = LexborHTMLParser(answer.text)
    assert page.css("html")[0].attributes["lang"] == "pt-BR"
    assert "Guias curtos" in text_of(page)
    assert "Alguns guias" not in text_of(page)


def test_a_plain_text_has_neither_marks_nor_spaces_in_their_place() -> None:
    text = "## Keys\n\nUnder **Keys**, `a=1`, see [the guide](a.md).\n\n| a | b |\n|---|---|\n| 1 | 2 |"

    assert plain_text(text) == "Keys Under Keys, a=1, see the guide. a b 1 2"


@pytest.mark.parametrize("name", [one.name for one in guides.list_guides()])
@pytest.mark.parametrize("language", _TRANSLATIONS)
def test_a_translated_guide_has_the_parts_of_the_english_one(language: str, name: str) -> None:
    (ours,) = [one for one in guides.list_guides(language) if one.name == name]
    (english,) = [one for one in guides.list_guides() if one.name == name]

    assert ours.language == language
    assert ours.title != english.title
    assert _parts_of(ours) == _parts_of(english)


def _parts_of(guide: guides.Guide) -> list[str]:
    """Each heading, paragraph, cell, item and example, with the code, links, marks and figures in it."""
    tokens = MarkdownIt("commonmark").enable("table").parse(guide.source)
    return [_part(token) for token in tokens]


def _part(token: Token) -> str:
    """The order of words is the language's own, and so are the separators of its figures."""
    inside = token.children or ()
    found = [one.content for one in inside if one.type == "code_inline"]
    found += [str(one.attrs["href"]) for one in inside if one.type == "link_open"]
    found += [one.type for one in inside if one.type == "strong_open"]
    for one in inside:
        if one.type == "text":
            found += [re.sub("[.,]", "", figure) for figure in _NUMBER.findall(one.content)]
    shown = token.content if token.type == "fence" else ""
    return " ".join([token.type, token.tag, token.info, shown, *sorted(found)])


@pytest.mark.parametrize("language", _TRANSLATIONS)
async def test_a_guide_is_in_the_readers_language_with_the_same_examples(
    api: ControlApi, language: str
) -> None:
    async def shown(name: str, tag: str) -> LexborHTMLParser:
        answer = await api.http.get(f"/docs/guides/{name}", headers={"Accept-Language": tag})
        return LexborHTMLParser(answer.text)

    for guide in guides.list_guides(language):
        ours, english = await shown(guide.name, tag_of(language)), await shown(guide.name, "en")
        assert the(ours, "h1").attributes["lang"] == tag_of(language)
        for path in (".examples code", ".examples figcaption"):
            assert [one.text() for one in ours.css(path)] == [
                one.text() for one in english.css(path)
            ]
        links = [
            [str(one.attributes["href"]) for one in page.css("section.guide a")]
            for page in (ours, english)
        ]
        assert sorted(links[0]) == sorted(links[1])


@pytest.mark.parametrize(
    ("tag", "query", "guide"),
    [
        ("pt", "agradecimento", "conversions"),
        ("pt", "CONVERSAO", "conversions"),
        ("pt", "anúncios+vídeo", "film"),
        ("es", "audio+PODCAST", "sound"),
        ("es", "borrador+patrocinio", "import"),
    ],
)
async def test_the_search_finds_a_translated_guide(
    api: ControlApi, tag: str, query: str, guide: str
) -> None:
    answer = await api.http.get(f"/docs/search?q={query}", headers={"Accept-Language": tag})

    page = LexborHTMLParser(answer.text)
    (first, *_) = page.css("main h2")
    assert the(first, "a").attributes["href"] == f"/docs/guides/{guide}"
    assert (first.attributes["lang"] or "").startswith(tag)


async def test_the_search_shows_operations_in_their_own_language(api: ControlApi) -> None:
    answer = await api.http.get("/docs/search?q=prepareEmail", headers={"Accept-Language": "es"})

    page = LexborHTMLParser(answer.text)
    tags = {
        one.attributes["lang"]
        for one in page.css("main h2")
        if "#" in (the(one, "a").attributes["href"] or "")
    }
    assert tags == {"en"}


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_one_language_is_shown_and_kept_for_the_next_page(
    api: ControlApi, chromium: Browser, width: int, theme: str
) -> None:
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, width=width, dark=theme == "dark") as seen:
        await seen.page.goto(f"{base_url}/docs/guides/first-ad")
        await expect(seen.page.get_by_role("tabpanel")).to_have_count(1)
        await seen.page.get_by_role("tab", name="Go").click()
        await expect(seen.page.get_by_role("tabpanel")).to_contain_text("package main")
        await seen.page.keyboard.press("ArrowRight")
        await expect(seen.page.get_by_role("tabpanel")).to_contain_text("<?php")
        await check_width(seen)
        await seen.check_axe()
        await seen.page.locator("a[rel=next]").click()
        await expect(seen.page).to_have_url(re.compile("go-live"))
        await expect(seen.page.get_by_role("tabpanel")).to_contain_text("curl_init")
        await seen.check_axe()
        await seen.page.goto(f"{base_url}/docs/slots")
        example = seen.page.get_by_role("tabpanel").first
        await expect(example).to_contain_text("curl_init")
        await expect(example.get_by_role("button", name="Copy")).to_be_visible()
        await check_width(seen)
        await seen.check_axe()
        seen.check()


async def test_a_page_of_the_reference_in_another_language_is_whole(
    api: ControlApi, chromium: Browser
) -> None:
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, width=PHONE, locale="es-MX") as seen:
        await seen.page.goto(f"{base_url}/docs/slots")
        example = seen.page.get_by_role("tabpanel").first
        await expect(example.get_by_role("button", name="Copiar")).to_be_visible()
        await expect(seen.page.get_by_text("La referencia está en inglés")).to_be_visible()
        await check_width(seen)
        await seen.check_axe()
        seen.check()
