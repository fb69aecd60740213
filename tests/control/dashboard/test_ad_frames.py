"""The document of an html ad: signed, short-lived, and of no origin."""

from datetime import timedelta
from typing import Any

import pytest

from tests.support.control_api import ControlApi
from tests.support.http_client import http_client
from tests.support.moved_clock import MovedClock
from tests.support.resources import Customer
from tests.support.visitor import Visitor

_MARKUP = "<b>Hi</b><script>top.location = 'https://evil.example'</script>"


@pytest.fixture
async def ad(api: ControlApi, visitor: Visitor) -> dict[str, Any]:
    customer = Customer(api, visitor.person)
    site = await customer.make_property()
    campaign = await customer.make_campaign(site["id"])
    content = {"html": _MARKUP, "width": 300, "height": 250}
    return await customer.make_ad(campaign["id"], format="html", content=content)


async def _frame(visitor: Visitor, ad: dict[str, Any]) -> dict[str, str | None]:
    page = await visitor.look(f"/live/ads/{ad['id']}")
    found = page.css_first("figure iframe")
    assert found is not None
    return found.attributes


async def test_the_frame_has_its_true_size_and_no_origin(
    visitor: Visitor, ad: dict[str, Any]
) -> None:
    frame = await _frame(visitor, ad)

    assert (frame["width"], frame["height"]) == ("300", "250")
    assert "allow-same-origin" not in (frame["sandbox"] or "allow-same-origin")
    assert "allow-top-navigation" not in (frame["sandbox"] or "")


async def test_the_document_needs_no_cookie_and_is_sandboxed_wherever_it_is_opened(
    api: ControlApi, visitor: Visitor, ad: dict[str, Any]
) -> None:
    address = (await _frame(visitor, ad))["src"] or ""
    async with http_client(base_url=api.http.base_url) as nobody:
        document = await nobody.get(address)

    assert document.status_code == 200
    assert _MARKUP in document.text
    policy = document.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in policy


async def test_a_wrong_signature_shows_nothing(visitor: Visitor, ad: dict[str, Any]) -> None:
    address = (await _frame(visitor, ad))["src"] or ""
    forged = address.replace("version=1", "version=2")
    for wrong in (
        forged,
        address[:-1],
        f"/ads/frame/{ad['id']}",
        f"/ads/frame/{ad['id']}?expires=²",
    ):
        assert (await visitor.http.get(wrong)).status_code == 404


async def test_an_expired_address_is_refused(
    visitor: Visitor, ad: dict[str, Any], clock: MovedClock
) -> None:
    address = (await _frame(visitor, ad))["src"] or ""
    clock.advance(timedelta(minutes=16))

    assert (await visitor.http.get(address)).status_code == 410
