"""Ads, in the matrix."""

from control.foundation.openapi_examples import AD_ID
from tests.control.matrix_registry import NAME, Maker, Room, Thing


async def _make(maker: Maker) -> str:
    campaign = await maker.id_of("campaigns")
    return str((await maker.customer.make_ad(campaign, name=NAME))["id"])


ROOM = Room(things=(Thing("ads", _make, example=AD_ID, has_environment=True),))
