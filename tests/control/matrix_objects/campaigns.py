"""Campaigns, in the matrix."""

from control.foundation.openapi_examples import CAMPAIGN_ID
from tests.control.matrix_registry import NAME, Maker, Room, Thing


async def _make(maker: Maker) -> str:
    site = await maker.id_of("properties")
    return str((await maker.customer.make_campaign(site, name=NAME))["id"])


ROOM = Room(
    things=(Thing("campaigns", _make, example=CAMPAIGN_ID, has_environment=True),),
    per_item=frozenset({"bulkCampaigns"}),
)
