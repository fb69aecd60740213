"""Text that somebody stored is text, on every page of ads, files and reviews: nothing of it becomes markup."""

import io
from typing import Any

import pytest
from PIL import Image
from selectolax.lexbor import LexborHTMLParser

from tests.support.control_api import ControlApi
from tests.support.embedding import window_of
from tests.support.resources import CONTENT_OF, Customer
from tests.support.visitor import Visitor

_CORPUS = (
    "<script>boom()</script>",
    '"><img src=x onerror=boom()>',
    "'><svg onload=boom()>",
    "</textarea><script>boom()</script>",
    "</title></script><script>boom()</script>",
    '" autofocus onfocus=boom() x="',
    "{{ 700 * 1111 }}{% raw %}%(name)s",
)


def _check(markup: str) -> None:
    page = LexborHTMLParser(markup)
    for script in page.css("script"):
        is_ours = (script.attributes.get("src") or "").startswith("/static/")
        assert is_ours or script.attributes.get("type") == "application/json"
        assert "boom" not in script.text()
    for node in page.css("*"):
        assert not [name for name in node.attributes if name.startswith("on")], node.html
    assert not page.css("svg[onload], img[src=x]")
    assert "777700" not in markup


def _content(ad_format: str, evil: str) -> dict[str, Any]:
    """Good content with *evil* wherever text may stand."""
    short = {"title": evil, "body": evil, "cta": evil[:30], "sponsored_by": evil}
    changes: dict[str, dict[str, Any]] = {
        "banner": {"alt": evil},
        "html": {"html": evil},
        "native": short,
        "email": {"alt": evil, "text_fallback": evil},
        "audio": {"companion": CONTENT_OF["banner"] | {"alt": evil}},
    }
    return CONTENT_OF[ad_format] | changes.get(ad_format, {})


@pytest.mark.parametrize("evil", _CORPUS)
async def test_a_stored_script_runs_on_no_page_of_ads(
    api: ControlApi, visitor: Visitor, evil: str
) -> None:
    customer = Customer(api, visitor.person)
    site = await customer.make_property(name=evil)
    slot = await customer.make_slot(site["id"], name=evil, formats=list(CONTENT_OF))
    campaign = await customer.make_campaign(site["id"], name=evil)
    file = io.BytesIO()
    Image.new("RGB", (2, 2)).save(file, "PNG")
    asset = await api.http.post(
        "/v1/assets?environment=live",
        data={"filename": evil},
        files={"file": ("a.png", file.getvalue())},
        headers=visitor.person.headers,
    )
    assert asset.status_code == 201, asset.text
    account = (await customer.get("/v1/account")).json()
    await customer.patch("/v1/account", account["version"], {"review_required": True, "name": evil})
    pages = ["/live/ads", "/live/assets", f"/live/assets/{asset.json()['id']}", "/live/review"]
    pages.append(f"/live/ads/new?format=banner&campaign_id={campaign['id']}")
    for number, ad_format in enumerate(CONTENT_OF):
        ad = await customer.make_ad(
            campaign["id"],
            name=evil,
            format=ad_format,
            content=_content(ad_format, evil),
            slot_ids=[slot["id"]],
        )
        await customer.post(f"/v1/ads/{ad['id']}/activate")
        if number == 0:
            await customer.post(f"/v1/ads/{ad['id']}/reject", {"reason": evil})
        pages += [f"/live/ads/{ad['id']}", f"/live/ads/{ad['id']}/edit"]
    for path in pages:
        page = await visitor.http.get(path)
        assert page.status_code == 200, (path, page.text)
        _check(page.text)


@pytest.mark.parametrize("evil", _CORPUS)
async def test_input_is_shown_again_as_text(visitor: Visitor, evil: str) -> None:
    fields = {"name": evil, "click_url": evil, "campaign_id": evil, "content__html": evil}
    answer = await visitor.send("/live/ads/new?format=html", format="html", **fields)
    rejected = await visitor.send("/live/review", act="reject", kind="ad", id=evil, reason=evil)

    assert answer.status_code == 422
    _check(answer.text)
    _check(rejected.text)


async def test_a_windows_context_is_data(api: ControlApi) -> None:
    key = await api.add_key(await api.sign_up())
    async with window_of(api, key.headers, context={"locale": "en"}) as window:
        page = await window.get(f"{window.start}?format={_CORPUS[0]}&campaign_id={_CORPUS[1]}")

    _check(page.text)
