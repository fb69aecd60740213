"""What the pages of ads do with many at once, and the copy of one."""

import base64
from typing import Any

import pytest
from PIL import Image
from playwright.async_api import Browser, expect
from selectolax.lexbor import LexborHTMLParser

from control.demand.assets.schemas import MediaPublic
from control.demand.media_inspection.small_pictures import POSTER, small_picture
from tests.support.browser import PHONE, opened, sign_in
from tests.support.control_api import ControlApi
from tests.support.forms import attribute, the
from tests.support.resources import CLIP, CONTENT_OF, IMAGE, Customer, an_asset
from tests.support.visitor import Visitor, text_of


async def _status_of(customer: Customer, ad: dict[str, Any]) -> str:
    return str((await customer.get(f"/v1/ads/{ad['id']}")).json()["status"])


async def test_ads_are_changed_in_bulk_and_the_message_takes_it_back(
    visitor: Visitor, customer: Customer, campaign: dict[str, Any]
) -> None:
    one, two = [await customer.make_ad(campaign["id"], name=name) for name in ("One", "Two")]
    ids = [one["id"], two["id"]]
    active = await visitor.act("/live/ads?sort=name", act="activate", ids=ids)
    assert "The selected ads are active" in text_of(active)

    paused = await visitor.act("/live/ads", act="pause", ids=ids)

    assert "The selected ads are paused." in text_of(paused)
    assert [await _status_of(customer, each) for each in (one, two)] == ["paused", "paused"]
    sent = {node.attributes["value"] for node in paused.css(".notice input[name=ids]")}
    assert sent == set(ids)
    await visitor.act("/live/ads", act="resume", ids=ids)
    assert [await _status_of(customer, each) for each in (one, two)] == ["active", "active"]


async def test_a_refusal_of_one_ad_is_shown_and_the_others_are_changed(
    visitor: Visitor, customer: Customer, campaign: dict[str, Any]
) -> None:
    draft = await customer.make_ad(campaign["id"], name="Not begun")
    running = await customer.make_ad(campaign["id"], name="Runs")
    await visitor.act("/live/ads", act="activate", ids=running["id"])

    mixed = await visitor.send("/live/ads", act="pause", ids=[running["id"], draft["id"]])

    page = LexborHTMLParser(mixed.text)
    assert "1 ad was changed." in text_of(page)
    assert "Not begun" in the(page, "main .notice.bad").text()
    assert await _status_of(customer, running) == "paused"


async def test_a_video_ad_shows_the_poster_of_its_file(
    api: ControlApi, chromium: Browser, customer: Customer, campaign: dict[str, Any]
) -> None:
    """On its own page and on its campaign's; the video itself is requested when it is played."""
    poster = base64.b64decode(small_picture(Image.new("RGB", (640, 360), "teal"), POSTER))
    measured = dict.fromkeys(MediaPublic.model_fields) | {"container": "mp4", "renditions": []}
    clip = await an_asset(
        api, customer.person, **CLIP | {"media": measured}, thumbnail=poster, poster=poster
    )
    ad = await customer.make_ad(
        campaign["id"], format="video", content={}, asset_ids={"media.0": clip}
    )
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, customer.person)
        for path in (f"ads/{ad['id']}", f"campaigns/{campaign['id']}", f"assets/{clip}"):
            await seen.page.goto(f"{base_url}/live/{path}")
            video = seen.page.locator("video")
            shown = str(await video.evaluate(_POSTER))
            assert shown == "400 × 225", path
            await expect(video).to_have_attribute("preload", "none")
        seen.check()


async def test_a_video_ad_shows_its_own_poster(
    visitor: Visitor, customer: Customer, campaign: dict[str, Any]
) -> None:
    poster = "https://cdn.example.com/a.png"
    content = CONTENT_OF["video"] | {"poster": poster}
    ad = await customer.make_ad(campaign["id"], format="video", content=content)

    for path in (f"/live/ads/{ad['id']}", f"/live/campaigns/{campaign['id']}"):
        assert attribute(await visitor.look(path), "video", "poster") == poster


@pytest.mark.parametrize("ad_format", CONTENT_OF)
async def test_a_copy_of_an_ad_is_a_draft_with_the_same_content(
    visitor: Visitor, customer: Customer, campaign: dict[str, Any], ad_format: str
) -> None:
    ad = await customer.make_ad(
        campaign["id"],
        format=ad_format,
        content=CONTENT_OF[ad_format],
        weight=7,
        targeting={"languages": ["pt"]},
    )
    await visitor.act(f"/live/ads/{ad['id']}", act="activate")

    page = await visitor.act(f"/live/ads/{ad['id']}", act="duplicate", name="Spring (copy)")

    assert "This is the copy" in text_of(page)
    listed = (await customer.get("/v1/ads?environment=live")).json()["data"]
    (copy,) = [one for one in listed if one["id"] != ad["id"]]
    assert (copy["status"], copy["name"]) == ("draft", "Spring (copy)")
    for name in ("campaign_id", "content", "weight", "click_url", "targeting", "slot_ids"):
        assert copy[name] == ad[name], name


async def test_a_copy_of_an_ad_has_its_files(
    api: ControlApi, visitor: Visitor, customer: Customer, campaign: dict[str, Any]
) -> None:
    image = await an_asset(api, visitor.person, **IMAGE)
    ad = await customer.make_ad(campaign["id"], content={"alt": "A"}, asset_ids={"image": image})

    await visitor.act(f"/live/ads/{ad['id']}", act="duplicate", name="Spring (copy)")

    listed = (await customer.get("/v1/ads?environment=live")).json()["data"]
    assert [one["asset_ids"] for one in listed] == [{"image": image}] * 2


_POSTER = """async (video) => {
  const picture = new Image();
  picture.src = video.poster;
  await picture.decode();
  return `${picture.width} × ${picture.height}`;
}"""
_WIDTHS = """
(path) => {
  const shown = document.querySelector(path);
  const places = () => [...document.querySelectorAll("th, .search-button")].map((one) => one.offsetLeft);
  const after = places();
  shown.hidden = true;
  return [places(), after];
}
"""


async def test_buttons_of_a_list_wait_for_a_choice_and_scripts_move_nothing(
    api: ControlApi, chromium: Browser, customer: Customer, campaign: dict[str, Any]
) -> None:
    ad = await customer.make_ad(campaign["id"])
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, customer.person)
        await seen.page.goto(f"{base_url}/live/ads")
        button = seen.page.get_by_role("button", name="Activate", exact=True)
        await expect(button).to_be_disabled()
        await expect(seen.page.locator(".search-button kbd")).to_be_visible()

        await seen.page.get_by_label(f"Choose {ad['name']}").check()

        await expect(button).to_be_enabled()
        for path in ("[data-select-all]", ".search-button kbd"):
            before, after = await seen.page.evaluate(_WIDTHS, path)
            assert before == after, path
        await seen.check_axe()


async def test_a_preview_that_is_wider_than_its_card_is_cropped_without_a_scrollbar(
    api: ControlApi, chromium: Browser, customer: Customer, campaign: dict[str, Any]
) -> None:
    content = {"html": "<b>Hi</b>", "width": 728, "height": 90}
    ad = await customer.make_ad(campaign["id"], format="html", content=content)
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, customer.person)
        await seen.page.goto(f"{base_url}/live/campaigns/{campaign['id']}")
        card = seen.page.locator(".ad-of-campaign", has_text=ad["name"])
        preview = card.locator(".preview-html")
        await expect(preview).to_have_css("overflow", "hidden")
        assert await preview.evaluate("(one) => one.scrollWidth > one.clientWidth")
        assert await card.evaluate("(one) => one.scrollWidth <= one.clientWidth")


async def test_the_preview_of_an_email_ad_scrolls_by_the_keyboard(
    api: ControlApi, chromium: Browser, customer: Customer, campaign: dict[str, Any]
) -> None:
    await customer.make_ad(campaign["id"], format="email", content=CONTENT_OF["email"])
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, width=PHONE) as seen:
        await sign_in(seen, base_url, customer.person)
        await seen.page.goto(f"{base_url}/live/campaigns/{campaign['id']}")

        await expect(seen.page.locator(".mail-600").first).to_be_visible()
        for theme, color in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(31, 31, 31)")):
            for width in (600, 320):
                mail = seen.page.locator(f".mail-{width}.mail-{theme}")
                await expect(mail).to_have_css("width", f"{width}px")
                await expect(mail).to_have_css("background-color", color)
        await seen.check_axe()
