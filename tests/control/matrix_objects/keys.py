"""Keys, in the matrix."""

from common.values.environment import Environment
from tests.control.matrix_registry import NAME, Maker, Room, Thing


async def _make_sdk_key(maker: Maker) -> str:
    site = await maker.id_of("properties")
    return str((await maker.customer.make_sdk_key(site, name=NAME))["id"])


async def _make_integration_key(maker: Maker) -> str:
    site = await maker.id_of("properties")
    key = await maker.api.add_key(maker.owner, environment=Environment.LIVE, property_id=site)
    return key.id


ROOM = Room(
    things=(Thing("sdk-keys", _make_sdk_key), Thing("integration-keys", _make_integration_key))
)
