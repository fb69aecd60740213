"""In Portuguese, a state on a page agrees in gender with its noun."""

from selectolax.lexbor import LexborHTMLParser

from tests.support.control_api import ControlApi
from tests.support.resources import Customer
from tests.support.visitor import Visitor


def _chips_of(page: LexborHTMLParser) -> list[str]:
    return [one.text(strip=True) for one in page.css("main .chip")]


async def test_campaigns_are_feminine_and_ads_masculine(api: ControlApi, visitor: Visitor) -> None:
    customer = Customer(api, visitor.person)
    site = await customer.make_property()
    campaign = await customer.make_campaign(site["id"])
    ad = await customer.make_ad(campaign["id"])
    await visitor.act(f"/live/ads/{ad['id']}", act="archive")
    await visitor.act(f"/live/campaigns/{campaign['id']}", act="archive")

    of_both = await visitor.look(f"/live/campaigns/{campaign['id']}", language="pt-BR")
    of_ads = await visitor.look("/live/ads", language="pt-BR")
    of_sites = await visitor.look("/live/properties", language="pt-BR")
    english = await visitor.look(f"/live/campaigns/{campaign['id']}")

    assert _chips_of(of_both)[:2] == ["Arquivada", "Arquivado"]
    assert _chips_of(of_ads) == ["Arquivado"]
    assert _chips_of(of_sites) == ["Não verificada"]
    assert _chips_of(english)[:2] == ["Archived", "Archived"]
