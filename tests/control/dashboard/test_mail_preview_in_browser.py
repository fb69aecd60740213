"""The preview of an e-mail ad in Chromium: 600 and 320 px wide, in light and dark, whatever the page's own theme."""

from io import BytesIO
from typing import Any

import pytest
from PIL import Image
from playwright.async_api import Browser, Route, expect

from tests.support.browser import DESK, PHONE, check_width, opened, sign_in
from tests.support.control_api import ControlApi
from tests.support.resources import CONTENT_OF, Customer

_WIDTH, _HEIGHT = 600, 200
_READ = """(mails) => mails.map((mail) => {
    const figure = mail.closest("figure"), words = document.createRange();
    figure.scrollLeft = 0;
    words.selectNodeContents(mail.querySelector("small"));
    const style = getComputedStyle(mail), picture = mail.querySelector("img"), box = mail.getBoundingClientRect();
    return {
        words: words.toString(),
        areWordsVisible: words.getBoundingClientRect().right <= figure.getBoundingClientRect().right,
        width: box.width,
        hidden: mail.scrollWidth - mail.clientWidth,
        natural: picture.naturalWidth,
        shown: [picture.clientWidth, picture.clientHeight],
        sticksOut: picture.getBoundingClientRect().right > box.right,
        scheme: style.colorScheme,
        background: style.backgroundColor,
        ink: style.color,
        label: getComputedStyle(mail.querySelector("small")).color,
    };
})"""


def _picture() -> bytes:
    file = BytesIO()
    Image.new("RGB", (_WIDTH, _HEIGHT), "teal").save(file, "PNG")
    return file.getvalue()


@pytest.mark.parametrize(("width", "dark"), [(DESK, False), (PHONE, True)])
async def test_all_four_previews_of_a_mail_show_its_picture(
    api: ControlApi, chromium: Browser, width: int, *, dark: bool
) -> None:
    person = await api.sign_up()
    customer = Customer(api, person)
    site = await customer.make_property()
    campaign = await customer.make_campaign(site["id"])
    content = {**CONTENT_OF["email"], "width": _WIDTH, "height": _HEIGHT}
    ad = await customer.make_ad(campaign["id"], format="email", content=content)
    base_url = str(api.http.base_url).rstrip("/")

    async def answer(route: Route) -> None:
        await route.fulfill(body=_picture(), content_type="image/png")

    async with opened(chromium, width=width, dark=dark) as seen:
        await sign_in(seen, base_url, person)
        await seen.page.route(content["image_url"], answer)
        await seen.page.goto(f"{base_url}/live/ads/{ad['id']}")
        mails = seen.page.locator(".preview-email .mail")
        await expect(mails).to_have_count(4)
        for picture in await mails.locator("img").all():
            await picture.scroll_into_view_if_needed()
            await expect(picture).to_have_js_property("complete", value=True)
        found = await mails.evaluate_all(_READ)
        await check_width(seen)
        await seen.check_axe()
        seen.check()

    assert [one["words"] for one in found] == [
        *("600 px, light", "320 px, light", "600 px, dark", "320 px, dark")
    ]
    assert [one["width"] for one in found] == [600, 320, 600, 320]
    assert {(one["hidden"], one["sticksOut"], one["natural"]) for one in found} == {
        (0, False, _WIDTH)
    }
    assert [one["shown"] for one in found] == [[600, 200], [320, 107]] * 2
    assert [one["scheme"] for one in found] == ["light", "light", "dark", "dark"]
    light, dark_ones = found[:2], found[2:]
    for name in ("background", "ink", "label"):
        assert _only(light, name) != _only(dark_ones, name)
    assert all(one["areWordsVisible"] for one in found)


def _only(mails: list[dict[str, Any]], name: str) -> str:
    """The value that all of them have."""
    (value,) = {one[name] for one in mails}
    return str(value)
