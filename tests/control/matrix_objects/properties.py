"""Properties, in the matrix."""

from control.foundation.openapi_examples import PROPERTY_ID
from tests.control.matrix_registry import NAME, Maker, Room, Thing


async def _make(maker: Maker) -> str:
    return str((await maker.customer.make_property(name=NAME))["id"])


ROOM = Room(things=(Thing("properties", _make, example=PROPERTY_ID),))
