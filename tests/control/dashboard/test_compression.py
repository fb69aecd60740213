"""Pages, scripts and styles are compressed by the control plane itself, but never a page that may show a secret."""

import base64
import gzip

import pytest
from PIL import Image
from playwright.async_api import Browser

from control.dashboard.compression import accepts_gzip
from control.demand.media_inspection.small_pictures import THUMBNAIL, small_picture
from tests.support.browser import opened, sign_in
from tests.support.control_api import PASSWORD, ControlApi
from tests.support.http_client import http_client
from tests.support.resources import CONTENT_OF, IMAGE, Customer, an_asset
from tests.support.visitor import FROM_OUR_PAGE, visiting

_MAX_PAGE_BYTES = 120_000
_MAX_REQUESTS = 12
_ADS, _FILES = 20, 48
"""Of one page of each list."""
_MAIN_PAGES = (
    "/live",
    "/live/campaigns",
    "/live/campaigns/new",
    "/test/campaigns",
    "/live/ads",
    "/live/assets",
    "/live/reports",
    "/live/events",
    "/live/properties",
    "/live/keys",
    "/live/first-steps",
    "/members",
    "/wallet",
    "/account",
    "/docs",
    "/docs/campaigns",
)
_TRANSFERRED = """() => {
  const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  return [entries.reduce((sum, entry) => sum + entry.transferSize, 0), entries.length];
}"""


@pytest.mark.parametrize(
    ("header", "is_accepted"),
    [
        ("gzip, deflate, br, zstd", True),
        ("br;q=1.0, GZIP;q=0.5", True),
        ("x-gzip", True),
        ("*", True),
        ("gzip;q=0, *", False),
        ("br", False),
        ("gzip;q=much", False),
        ("", False),
    ],
)
def test_the_client_chooses(header: str, *, is_accepted: bool) -> None:
    assert accepts_gzip(header) is is_accepted


@pytest.mark.parametrize(
    "path",
    [
        "/sign-in",
        "/docs",
        "/static/site.css",
        "/static/vendor/uPlot.iife.min.js",
        "/sdk/placard.js",
    ],
)
async def test_text_is_compressed_for_who_accepts_it(api: ControlApi, path: str) -> None:
    async with http_client(base_url=api.http.base_url) as reader:
        plain = await reader.get(path, headers={"Accept-Encoding": "identity"})
        packed = await reader.get(path, headers={"Accept-Encoding": "gzip"})
        head = await reader.head(path, headers={"Accept-Encoding": "gzip"})

    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == head.headers["content-encoding"] == "gzip"
    assert plain.headers["vary"] == packed.headers["vary"]
    assert packed.headers["vary"].split(", ").count("Accept-Encoding") == 1
    assert packed.content == plain.content
    assert int(packed.headers["content-length"]) < len(plain.content) / 2
    assert packed.headers.get("etag", "W/").startswith("W/")


async def test_pictures_and_small_files_stay_as_they_are(api: ControlApi) -> None:
    async with http_client(base_url=api.http.base_url) as reader:
        for path in ("/static/demo-email.png", "/static/mark.svg"):
            answer = await reader.get(path, headers={"Accept-Encoding": "gzip"})
            assert answer.status_code == 200
            assert "content-encoding" not in answer.headers, path


async def test_a_page_that_may_show_a_secret_is_never_compressed(api: ControlApi) -> None:
    person = await api.sign_up()
    property_id = await api.add_property(person)
    async with visiting(api, person) as visitor:
        form = {"kind": "secret", "property_id": property_id, "name": "Server"}
        made = await visitor.send("/live/keys/new", **form)
        factor = await visitor.send("/profile/second-factor", act="set_up", password=PASSWORD)
        token = await visitor.http.get("/verify-email?token=unknown")
        ours = await visitor.http.get("/live/keys", headers=FROM_OUR_PAGE)
        elsewhere = await visitor.http.get("/live/keys", headers={"Sec-Fetch-Site": "cross-site"})

    assert "sk_live_" in made.text
    assert "otpauth" in factor.text or 'name="secret"' in factor.text
    for answer in (made, factor, token, elsewhere):
        assert "content-encoding" not in answer.headers, answer.url
        assert len(answer.content) > len(gzip.compress(answer.content))
    assert ours.headers["content-encoding"] == "gzip"


async def _add_pictures(customer: Customer, campaign_id: str) -> None:
    """A full page of files, and one of ads: half of them have files, the others pictures at other addresses."""
    noise = Image.effect_noise((900, 700), 64)  # a photograph has fewer details
    thumbnail = base64.b64decode(small_picture(noise, THUMBNAIL))
    files = [
        await an_asset(customer.api, customer.person, **IMAGE, thumbnail=thumbnail)
        for _ in range(_FILES)
    ]
    for number in range(_ADS):
        ours = {"content": {"alt": "A"}, "asset_ids": {"image": files[number]}}
        external = {**CONTENT_OF["banner"], "image_url": f"https://cdn.example.com/{number}.png"}
        fields = ours if number % 2 else {"content": external}
        await customer.make_ad(campaign_id, name=f"Ad {number}", **fields)


async def test_main_pages_stay_within_their_budgets(api: ControlApi, chromium: Browser) -> None:
    """Each is loaded by a browser that has nothing of it in its cache."""
    person = await api.sign_up()
    customer = Customer(api, person)
    hours = [{"days": ["mon", "tue"], "start": "08:00", "end": "12:00"}]
    draft = await customer.make_campaign(await customer.make_site(), targeting={"dayparts": hours})
    await _add_pictures(customer, draft["id"])
    base_url = str(api.http.base_url).rstrip("/")
    over = []
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, person)
        session = await seen.page.context.new_cdp_session(seen.page)
        await session.send("Network.enable")
        await session.send("Network.setCacheDisabled", {"cacheDisabled": True})
        for path in (*_MAIN_PAGES, f"/live/campaigns/{draft['id']}/edit"):
            answer = await seen.page.goto(f"{base_url}{path}", wait_until="networkidle")
            assert answer is not None
            assert answer.status == 200, path
            transferred, requests = await seen.page.evaluate(_TRANSFERRED)
            if transferred > _MAX_PAGE_BYTES or requests > _MAX_REQUESTS:
                over.append((path, transferred, requests))
    assert not over
