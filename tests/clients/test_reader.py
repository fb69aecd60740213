"""What an element sends about its visitor: consent, from the page's own APIs, and what this device has counted."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.async_api import Page

from common.snapshot.model import FrequencyCap
from common.values.enums import EventKind
from tests.clients.publisher import Publisher, until

_TCF = """window.__tcfapi = (command, version, told) => setTimeout(() => told(%s, true), 20);"""
_GPP = """window.__gpp = (command, told) => setTimeout(() => told({ pingData: %s }, true), 20);"""
_CONSENTED = "{ gdprApplies: true, tcString: 'CPstring', eventStatus: 'tcloaded', purpose: { consents: { 1: true } } }"
_READY = "{ signalStatus: 'ready', gppString: 'DBABLA~x', applicableSections: [7, 8] }"


async def _asked(page: Page) -> list[dict[str, str]]:
    """The queries of the page's serve calls."""
    urls = await page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    return [
        {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        for url in urls
        if "/v1/serve" in url
    ]


@pytest.mark.parametrize(
    ("script", "sent"),
    [
        ("", {}),
        (_TCF % _CONSENTED, {"gdpr": "1", "gdpr_consent": "CPstring", "seen": "none"}),
        (_TCF % "{ gdprApplies: false }", {"gdpr": "0", "seen": "none"}),
        (_TCF % "{ gdprApplies: true, eventStatus: 'cmpuishown', tcString: 'C' }", {"gdpr": "1"}),
        ("window.__tcfapi = () => {};", {"npa": "1"}),
        ("window.__tcfapi = () => { throw new Error('broken') };", {"npa": "1"}),
        (_GPP % _READY, {"gpp": "DBABLA~x", "gpp_sid": "7,8"}),
        (_GPP % "{ signalStatus: 'ready', gppString: 'D', applicableSections: [-1] }", {}),
        (
            "Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { get: () => true });",
            {"npa": "1"},
        ),
    ],
    ids=["nothing", "tcf", "no-gdpr", "asking", "silent", "broken", "gpp", "no-section", "gpc"],
)
async def test_the_pages_consent_apis_are_read_before_an_ad_is_requested(
    publisher: Publisher, script: str, sent: dict[str, str]
) -> None:
    publisher.place("top")
    await publisher.context.add_init_script(script)

    page = await publisher.open(publisher.element("top"))
    await until(page, "told.some(([, name]) => name === 'impression')")

    (query,) = await _asked(page)
    assert query == {"slot": "top", "key": publisher.key} | sent


async def test_caps_hold_by_the_counts_on_the_device(publisher: Publisher) -> None:
    cap = FrequencyCap(scope="campaign", event=EventKind.IMPRESSION, limit=2, window_s=3600)
    publisher.place("top", frequency_caps=(cap,))
    await publisher.context.add_init_script(_TCF % _CONSENTED)

    outcomes = []
    for _ in range(3):
        page = await publisher.open(publisher.element("top"))
        await until(page, "told.some(([, name]) => ['impression', 'empty'].includes(name))")
        outcomes.append(await page.get_attribute("service-ad", "data-state"))

    assert outcomes == ["filled", "filled", "empty"]
    assert publisher.edge.counted() == {"fill": 2, "frequency_capped": 1}


async def test_nothing_is_stored_where_consent_does_not_allow_it(publisher: Publisher) -> None:
    cap = FrequencyCap(scope="campaign", event=EventKind.IMPRESSION, limit=2, window_s=3600)
    publisher.place("top", frequency_caps=(cap,))

    page = await publisher.open(publisher.element("top"))
    await until(page, "told.length > 0")

    assert await page.evaluate("told") == [["top", "empty", "cap_not_known"]]
    assert await page.evaluate("localStorage.length") == 0


async def test_the_elements_attributes_about_page_and_place_reach_the_edge(
    publisher: Publisher,
) -> None:
    publisher.place("top")

    page = await publisher.open(
        publisher.element(
            "top",
            'format="banner" width="300" height="250" keywords="shoes,trail" kv-section="sports"',
        )
    )
    await until(page, "told.some(([, name]) => name === 'impression')")

    (query,) = await _asked(page)
    assert query == {
        "slot": "top",
        "key": publisher.key,
        "format": "banner",
        "w": "300",
        "h": "250",
        "keywords": "shoes,trail",
        "kv.section": "sports",
    }
