"""Properties and slots at the dashboard: registered, proven, changed, put into a page, put away."""

from typing import Any

import pytest
from playwright.async_api import Browser, expect
from selectolax.lexbor import LexborHTMLParser

from common.contract.audio_models import StitchBody
from common.fetching.web import FetchRefusal, LookUpOutcome
from control.dashboard.rendering import templates_of
from tests.support.browser import PHONE, opened, sign_in
from tests.support.control_api import ControlApi, Person
from tests.support.forms import attribute, the
from tests.support.visitor import Visitor, text_of, visiting

_NEW = {"name": "News", "kind": "web", "domain": "news.example.com", "timezone": "UTC"}
_PROOF = "Publish this"


async def _read(api: ControlApi, person: Person, path: str) -> Any:
    return (await api.http.get(f"/v1{path}", headers=person.headers)).json()


async def _register(visitor: Visitor, api: ControlApi) -> Any:
    await visitor.act("/live/properties/new", **_NEW)
    return (await _read(api, visitor.person, "/properties"))["data"][0]


async def test_an_empty_list_shows_what_to_create_first(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        page = await visitor.look("/live/properties")

        assert page.css_first('main .empty a[href="/live/properties/new"]') is not None


async def test_a_new_property_links_to_its_verification(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        page = await visitor.act("/live/properties/new", **_NEW)

        assert "Now verify its domain." in text_of(page)
        assert "By a DNS record" in text_of(page)


@pytest.mark.parametrize(
    "pasted",
    ["https://blog.example.org:8443/news?page=2", "blog.example.org/news", "blog.example.org"],
)
async def test_the_host_of_a_pasted_address_becomes_the_domain(
    api: ControlApi, pasted: str
) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        await visitor.act("/live/properties/new", **_NEW | {"domain": pasted})

        (made,) = (await _read(api, visitor.person, "/properties"))["data"]
        assert made["domain"] == "blog.example.org"


async def test_the_field_of_the_domain_says_when_it_is_needed_and_what_will_do(
    api: ControlApi,
) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        page = await visitor.look("/test/properties/new")

    field = next(one for one in page.css(".field") if one.css_matches("[name=domain]"))
    assert "optional" not in field.text()
    assert "Required for websites." in field.text()
    assert "In TEST any domain will do" in field.text()
    assert "pages on localhost can use it" in field.text()


@pytest.mark.parametrize(
    ("typed", "zone"),
    [
        ("Sao Paulo", "America/Sao_Paulo"),
        ("brasília", "America/Sao_Paulo"),
        ("europe/berlin", "Europe/Berlin"),
        ("UTC", "UTC"),
    ],
)
async def test_a_time_zone_is_named_by_a_city_too(api: ControlApi, typed: str, zone: str) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        await visitor.act("/live/properties/new", **_NEW | {"timezone": typed})

        (made,) = (await _read(api, visitor.person, "/properties"))["data"]
        assert made["timezone"] == zone


async def test_a_time_zone_is_chosen_by_name(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        visitor.http.cookies.set("placard_timezone", "America%2FSao_Paulo")
        paths = "/live/properties/new", "/test/first-steps"
        pages = [await visitor.look(path, language="pt-BR") for path in paths]
        made = await _register(visitor, api)
        edit = await visitor.look(f"/live/properties/{made['id']}/edit", language="pt-BR")

        for page, zone in [*[(page, "São Paulo, Brasil") for page in pages], (edit, "UTC")]:
            assert the(page, "[data-pick] select[name=timezone] option[selected]").text() == zone
            assert page.css_matches("script[src='/static/choosing.js']")


async def test_an_unknown_time_zone_is_refused_at_its_field(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        refused = await visitor.send("/live/properties/new", **_NEW | {"timezone": "Atlantis"})

        assert refused.status_code == 422
        assert 'value="Atlantis"' in refused.text


async def test_a_slot_of_mails_has_no_code_for_a_browser(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        here = "/test/first-steps"
        await visitor.act(here, act="property", **_NEW)
        await visitor.act(here, act="slot", name="Newsletter", formats="email")
        page = text_of(await visitor.act(here, act="key", name="Website"))
        (slot,) = (await _read(api, visitor.person, "/slots"))["data"]
        of_slot = await visitor.look(f"/test/properties/{slot['property_id']}/slots/{slot['id']}")

        assert "/v1/email/prepare" in page
        assert "await fetch" not in page
        assert of_slot.css_matches("a[href^='/test/keys/new?kind=secret&property_id=']")


@pytest.mark.parametrize(("formats", "has_call"), [("audio", True), ("video", False)])
async def test_a_slot_of_audio_has_the_ad_tag_and_the_call_of_a_server(
    api: ControlApi, formats: str, *, has_call: bool
) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        await visitor.act("/test/first-steps", act="property", **_NEW)
        await visitor.act("/test/first-steps", act="slot", name="Podcast", formats=formats)
        await visitor.act("/test/first-steps", act="key", name="Website")
        (slot,) = (await _read(api, visitor.person, "/slots"))["data"]
        page = await visitor.look(f"/test/properties/{slot['property_id']}/slots/{slot['id']}")

        codes = [one.text() for one in page.css("pre")]
        assert [code for code in codes if "output=vast" in code]
        bodies = [code.split("-d '")[1].rstrip("'") for code in codes if "audio/stitch" in code]
        assert [StitchBody.model_validate_json(body).slot for body in bodies] == (
            [slot["key"]] if has_call else []
        )
        assert page.css_matches("a[href^='/test/keys/new?kind=secret']") is has_call


async def test_the_ad_tag_for_players_is_shown_whole_on_a_phone(
    api: ControlApi, chromium: Browser
) -> None:
    person = await api.sign_up()
    async with visiting(api, person) as visitor:
        await visitor.act("/test/first-steps", act="property", **_NEW)
        await visitor.act("/test/first-steps", act="slot", name="Film", formats="video")
        await visitor.act("/test/first-steps", act="key", name="Website")
    (slot,) = (await _read(api, person, "/slots"))["data"]
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, width=PHONE) as seen:
        await sign_in(seen, base_url, person)
        await seen.page.goto(f"{base_url}/test/properties/{slot['property_id']}/slots/{slot['id']}")
        tag = seen.page.locator("pre", has_text="output=vast")
        assert await tag.evaluate("(tag) => tag.scrollWidth - tag.clientWidth") == 0
        seen.check()


def test_every_outcome_of_a_check_has_words() -> None:
    words: Any = templates_of("en").get_template("properties/parts.html").module

    assert {*LookUpOutcome, *FetchRefusal, "fetched"} - words.LOOK_UPS.keys() == set()


async def test_comments_of_the_code_are_in_the_readers_language(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        here = "/test/first-steps"
        await visitor.act(here, act="property", **_NEW)
        await visitor.act(here, act="slot", name="Article top", formats="banner")
        await visitor.act(here, act="key", name="Website")
        (slot,) = (await _read(api, visitor.person, "/slots"))["data"]
        page = await visitor.look(
            f"/test/properties/{slot['property_id']}/slots/{slot['id']}", language="pt-BR"
        )

        (code,) = [one.text() for one in page.css("pre") if "await fetch" in one.text()]
        assert "// quando o anúncio é exibido" in code
        assert "// 204: não há anúncio agora" in code


@pytest.mark.parametrize(("formats", "has_one"), [(["audio", "video"], False), (["audio"], True)])
async def test_code_for_a_page_takes_every_format_of_the_slot(
    api: ControlApi, formats: list[str], *, has_one: bool
) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        here = "/test/first-steps"
        await visitor.act(here, act="property", **_NEW)
        await visitor.act(here, act="slot", name="Player", formats=formats)
        await visitor.act(here, act="key", name="Website")
        (slot,) = (await _read(api, visitor.person, "/slots"))["data"]
        page = await visitor.look(f"/test/properties/{slot['property_id']}/slots/{slot['id']}")

        (code,) = [one.text() for one in page.css("pre") if "<service-ad" in one.text()]
        assert ('format="' in code) is has_one
        styles = code.index('<link rel="stylesheet" href="')
        assert "/sdk/placard.css" in code
        assert styles < code.index("<script") < code.index("<service-ad")


async def test_servers_with_a_publishable_key_are_trusted_once_the_form_allows_it(
    api: ControlApi,
) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        made = await _register(visitor, api)
        here = f"/live/properties/{made['id']}"
        changed = _NEW | {"version": str(made["version"]), "server_rendering": "on"}

        await visitor.act(f"{here}/edit", **changed)

        shown = await _read(api, visitor.person, f"/properties/{made['id']}")
        assert (made["server_rendering"], shown["server_rendering"]) == (False, True)
        assert "Trusted: the server's visitor data is used" in text_of(await visitor.look(here))


async def test_the_tag_to_publish_is_shown_whole(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        made = await _register(visitor, api)
        here = f"/live/properties/{made['id']}/verification"

        page = await visitor.act(here, act="start", method="html_tag")

        assert '<meta name="service-ad-verification" content="sav_' in text_of(page)


async def test_a_domain_that_moved_has_nothing_to_publish_yet(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        made = await _register(visitor, api)
        here = f"/live/properties/{made['id']}"
        requested = await visitor.act(f"{here}/verification", act="start", method="dns")
        assert _PROOF in text_of(requested)

        shown = await _read(api, visitor.person, f"/properties/{made['id']}")
        moved = _NEW | {"domain": "other.example.com", "version": str(shown["version"])}
        await visitor.act(f"{here}/edit", **moved)

        assert _PROOF not in text_of(await visitor.look(f"{here}/verification"))


async def test_an_emptied_field_is_stored_as_empty(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        made = await _register(visitor, api)
        edit = f"/live/properties/{made['id']}/edit"
        sent = {"name": "News", "domain": "news.example.com", "timezone": "UTC"}
        await visitor.act(edit, **sent, version="1", blocked_categories="IAB7, 483")
        before = await _read(api, visitor.person, f"/properties/{made['id']}")
        await visitor.act(edit, **sent, version=str(before["version"]), blocked_categories="")

        after = await _read(api, visitor.person, f"/properties/{made['id']}")

        assert before["blocked_categories"] == ["IAB7", "483"]
        assert after["blocked_categories"] == []


async def test_versions_and_flags_are_set_and_emptied(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        made = await _register(visitor, api)
        path = f"/properties/{made['id']}"
        edit = f"/live/properties/{made['id']}/edit"
        flags = "sticky_header = true\nlayout = wide"

        await visitor.act(
            edit, version="1", sdk__min__web="1.2.0", sdk__min__ios="", sdk__flags=flags
        )
        before = await _read(api, visitor.person, path)
        page = await visitor.look(edit)
        await visitor.act(edit, version="2", sdk__min__web="", sdk__flags="")
        after = await _read(api, visitor.person, path)

    reported = {"min": {"web": "1.2.0"}, "flags": {"sticky_header": True, "layout": "wide"}}
    assert before["sdk"] == reported
    assert the(page, "#f-sdk\\.flags").text() == "layout = wide\nsticky_header = true"
    assert after["sdk"] == {"min": {}, "flags": {}}


async def test_concurrent_changes_of_another_user_are_not_overwritten(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        made = await _register(visitor, api)
        edit = f"/live/properties/{made['id']}/edit"
        sent = {"domain": "news.example.com", "timezone": "UTC"}
        await visitor.act(edit, **sent, version="1", name="First")

        answer = await visitor.send(edit, **sent, version="1", name="Second")

        assert answer.status_code == 412
        assert (await _read(api, visitor.person, f"/properties/{made['id']}"))["name"] == "First"


async def test_a_rotation_shows_its_progress(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        made = await _register(visitor, api)

        page = await visitor.act(f"/live/properties/{made['id']}", act="rotate_secret")

        assert "Secret 2 is being distributed" in text_of(page)
        assert "Rotate the secret" not in text_of(page)


async def test_a_slot_is_made_with_its_sizes_and_floor(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        made = await _register(visitor, api)
        await visitor.act(
            f"/live/properties/{made['id']}/slots/new",
            name="Article top",
            formats=["banner", "html"],
            sizes=["300x250", "336 x 280"],
            floor_cents="0.80",
        )

        (slot,) = (await _read(api, visitor.person, "/slots"))["data"]

        assert slot["key"] == "article-top"
        assert slot["sizes"] == [{"width": 300, "height": 250}, {"width": 336, "height": 280}]
        assert slot["floor_cents"] == 80


async def test_amounts_in_fields_are_written_as_the_reader_does(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        made = await _register(visitor, api)
        slots = f"/live/properties/{made['id']}/slots"
        await visitor.act(f"{slots}/new", name="Top", formats="banner", floor_cents="0,80")
        (slot,) = (await _read(api, visitor.person, "/slots"))["data"]

        form = await visitor.look(f"{slots}/{slot['id']}/edit", language="pt-BR")
        wallet = await visitor.look("/wallet", language="pt-BR")

        assert attribute(form, "[name=floor_cents]", "value") == "0,80"
        assert attribute(form, "[name=floor_cents]", "placeholder") == "0,80"
        assert attribute(wallet, "[name=amount_cents]", "placeholder") == "500,00"


async def test_an_invalid_size_is_shown_at_the_sizes(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        made = await _register(visitor, api)

        answer = await visitor.send(
            f"/live/properties/{made['id']}/slots/new", name="Top", formats="banner", sizes="wide"
        )

        assert answer.status_code == 422
        fault = LexborHTMLParser(answer.text).css_first('[data-error="sizes"]')
        assert fault is not None
        assert fault.text()


async def test_a_slot_is_archived_and_restored(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        made = await _register(visitor, api)
        new = f"/live/properties/{made['id']}/slots/new"
        await visitor.act(new, name="Top", formats="banner")
        (slot,) = (await _read(api, visitor.person, "/slots"))["data"]
        here = f"/live/properties/{made['id']}/slots/{slot['id']}"

        away = await visitor.act(here, act="archive", version=str(slot["version"]))
        back = await visitor.act(here, act="bring_back", version=str(slot["version"] + 1))

        assert "requests for it return no ad" in text_of(away)
        assert "requests for it return no ad" not in text_of(back)


async def test_a_slot_is_shown_under_its_own_property_only(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        made = await _register(visitor, api)
        other = await api.add_property(visitor.person)
        await visitor.act(f"/live/properties/{made['id']}/slots/new", name="Top", formats="banner")
        (slot,) = (await _read(api, visitor.person, "/slots"))["data"]

        await visitor.look(f"/live/properties/{other}/slots/{slot['id']}", status=404)


async def test_a_name_with_markup_is_shown_as_text(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        bad = "<script>alert(1)</script>"
        await visitor.act("/live/properties/new", **_NEW | {"name": bad})
        made = (await _read(api, visitor.person, "/properties"))["data"][0]
        for path in ("", "/edit", "/verification", "/slots/new"):
            page = await visitor.http.get(f"/live/properties/{made['id']}{path}")
            assert bad not in page.text
            assert "&lt;script&gt;" in page.text


async def test_a_website_is_asked_for_no_bundle_id(api: ControlApi, chromium: Browser) -> None:
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, await api.sign_up())
        page = seen.page
        await page.goto(f"{base_url}/test/properties/new")
        await expect(page.get_by_label("Bundle id")).to_be_hidden()
        await page.get_by_label("Kind").select_option("app")
        await expect(page.get_by_label("Bundle id")).to_be_visible()
        await page.get_by_label("Name").fill("Harbour News")
        await page.get_by_label("Domain").fill("harbour-news.example")
        await page.get_by_label("Bundle id").fill("com.example.harbour")
        await page.get_by_label("Kind").select_option("web")
        await page.get_by_role("button", name="Add property").click()

        await expect(page.get_by_role("heading", name="Harbour News")).to_be_visible()
        seen.check()
