"""From an empty account to a first ad: each step looks for itself whether it is done."""

from selectolax.lexbor import LexborHTMLParser

from tests.support.control_api import ControlApi
from tests.support.visitor import Visitor, text_of, visiting

_HERE = "/test/first-steps"


def _next(page: LexborHTMLParser) -> str:
    """The heading of the step that is to be taken."""
    (heading,) = page.css("li.here h2")
    return heading.text()


async def _register(visitor: Visitor, here: str) -> None:
    await visitor.act(
        here, act="property", name="News", kind="web", domain="news.example.com", timezone="UTC"
    )


async def test_an_empty_account_is_asked_for_its_site(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        page = await visitor.look("/live/first-steps")

        assert "Register your site or app" in _next(page)


async def test_in_test_no_domain_is_proven(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        await _register(visitor, _HERE)

        page = await visitor.look(_HERE)

        assert "Make a place for ads" in _next(page)


async def test_live_the_domain_is_proven_first(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        await _register(visitor, "/live/first-steps")

        page = await visitor.act("/live/first-steps", act="start", method="dns")

        assert "Prove that it is yours" in _next(page)
        assert "_service-ad.news.example.com" in text_of(page)


async def test_what_the_resolver_saw_is_shown(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        await _register(visitor, "/live/first-steps")
        await visitor.act("/live/first-steps", act="start", method="dns")

        answer = await visitor.send("/live/first-steps", act="verify")

        assert answer.status_code == 200
        assert "What we saw" in answer.text
        assert "did not answer in time" in answer.text
        assert "127.0.0.1" in answer.text


async def test_the_lines_for_the_page_hold_the_real_slot_and_key(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        await _register(visitor, _HERE)
        await visitor.act(_HERE, act="slot", name="Article top", formats="banner", sizes="300x250")
        page = await visitor.act(_HERE, act="key", name="Website")

        shown = text_of(page)
        keys = (await api.http.get("/v1/sdk-keys", headers=visitor.person.headers)).json()["data"]
        assert f'publisher-key="{keys[0]["key"]}"' in shown
        assert 'slot-id="article-top"' in shown
        assert keys[0]["environment"] == "test"
        assert "http://127.0.0.1:8081/v1/serve?slot=article-top" in shown
        assert "Nobody has asked for an ad yet" in shown


async def test_a_fault_is_shown_where_it_was_typed(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        answer = await visitor.send(_HERE, act="property", name="", kind="web", domain="nowhere")

        assert answer.status_code == 422
        page = LexborHTMLParser(answer.text)
        fault, typed = page.css_first('[data-error="domain"]'), page.css_first('[name="domain"]')
        assert fault is not None
        assert fault.text()
        assert typed is not None
        assert typed.attributes["value"] == "nowhere"
