"""The queue of what waits for review."""

from typing import Any

import pytest

from tests.support.control_api import ControlApi
from tests.support.resources import WRAPPER, Customer
from tests.support.visitor import Visitor, text_of


@pytest.fixture
async def waiting_ad(customer: Customer) -> dict[str, Any]:
    site = await customer.make_property()
    campaign = await customer.make_campaign(site["id"])
    ad = await customer.make_ad(campaign["id"], name="Look at me")
    account = (await customer.get("/v1/account")).json()
    await customer.patch("/v1/account", account["version"], {"review_required": True})
    waits = await customer.post(f"/v1/ads/{ad['id']}/activate")
    assert waits.json()["status"] == "pending_review"
    return ad


async def _status(customer: Customer, ad: dict[str, Any]) -> str:
    return str((await customer.get(f"/v1/ads/{ad['id']}")).json()["status"])


async def test_waiting_objects_are_shown_and_approved(
    visitor: Visitor, customer: Customer, waiting_ad: dict[str, Any]
) -> None:
    queue = await visitor.look("/live/review")
    assert "Look at me" in text_of(queue)
    assert "1 in this list" in text_of(queue)
    assert queue.css_first("figure.preview-banner") is not None

    page = await visitor.act("/live/review", act="approve", kind="ad", id=waiting_ad["id"])

    assert "Nothing to review" in text_of(page)
    assert await _status(customer, waiting_ad) == "active"


async def test_the_queue_shows_a_wrapper(
    visitor: Visitor, customer: Customer, waiting_ad: dict[str, Any]
) -> None:
    ad = await customer.make_ad(waiting_ad["campaign_id"], format="video", content=WRAPPER)
    await customer.post(f"/v1/ads/{ad['id']}/activate")

    queue = await visitor.look("/live/review")

    assert "https://ads.example.com/vast" in text_of(queue)


async def test_the_creator_of_an_ad_sees_its_rejection(
    visitor: Visitor, customer: Customer, waiting_ad: dict[str, Any]
) -> None:
    fields = {"act": "reject", "kind": "ad", "id": waiting_ad["id"]}
    await visitor.act("/live/review", reason="Too loud.", **fields)

    page = await visitor.look(f"/live/ads/{waiting_ad['id']}")

    assert "Too loud." in text_of(page)
    assert "then activate the ad again" in text_of(page)
    assert await _status(customer, waiting_ad) == "rejected"


async def test_a_rejection_needs_its_reason(
    visitor: Visitor, customer: Customer, waiting_ad: dict[str, Any]
) -> None:
    answer = await visitor.send(
        "/live/review", act="reject", kind="ad", id=waiting_ad["id"], reason=" "
    )

    assert answer.status_code == 422
    assert await _status(customer, waiting_ad) == "pending_review"


async def test_a_manager_does_not_see_the_queue(
    api: ControlApi, visitor: Visitor, waiting_ad: dict[str, Any]
) -> None:
    async with api.control.database.service() as session:
        connection = await session.connection()
        await connection.exec_driver_sql(
            "update memberships set role = 'manager' where user_id = $1",
            (visitor.person.user_id,),
        )

    await visitor.look("/live/review", status=403)
    page = await visitor.look(f"/live/ads/{waiting_ad['id']}")
    links = [one.attributes.get("href") or "" for one in page.css("a")]
    assert links
    assert not [link for link in links if "/review" in link]
