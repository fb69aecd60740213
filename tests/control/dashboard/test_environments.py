"""Pages of one environment do not show or change objects of the other."""

import pytest

from tests.support.resources import Customer
from tests.support.visitor import Visitor


@pytest.mark.parametrize(("page", "own"), [("live", "test"), ("test", "live")])
async def test_a_campaign_of_the_other_environment_has_no_page_and_no_form(
    visitor: Visitor, customer: Customer, page: str, own: str
) -> None:
    campaign = await customer.make_campaign(await customer.make_site(), own)
    path = f"campaigns/{campaign['id']}"
    await visitor.look(f"/{own}/{path}/edit")

    await visitor.look(f"/{page}/{path}", status=404)
    await visitor.look(f"/{page}/{path}/edit", status=404)
    saved = await visitor.send(f"/{page}/{path}/edit", version="1", name="Renamed")
    moved = await visitor.send(f"/{page}/{path}", act="archive")

    assert (saved.status_code, moved.status_code) == (404, 404)
    stored = (await customer.get(f"/v1/{path}")).json()
    assert (stored["name"], stored["status"]) == (campaign["name"], "draft")


async def test_a_campaign_of_the_other_environment_takes_no_ad(
    visitor: Visitor, customer: Customer
) -> None:
    campaign = await customer.make_campaign(await customer.make_site(), "test")
    address = f"ads/new?campaign_id={campaign['id']}"
    await visitor.look(f"/test/{address}&format=html")

    await visitor.look(f"/live/{address}", status=404)
    await visitor.look(f"/live/{address}&format=html", status=404)
    form = {"content__html": "<b>Hi</b>", "content__width": "300", "content__height": "250"}
    made = await visitor.send(f"/live/{address}", format="html", name="A", **form)

    assert made.status_code == 404
    assert (await customer.get("/v1/ads?environment=test")).json()["data"] == []
