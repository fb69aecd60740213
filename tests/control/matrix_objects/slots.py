"""Slots, in the matrix."""

from control.foundation.openapi_examples import SLOT_ID
from tests.control.matrix_registry import NAME, Maker, Room, Thing


async def _make(maker: Maker) -> str:
    site = await maker.id_of("properties")
    return str((await maker.customer.make_slot(site, name=NAME))["id"])


ROOM = Room(things=(Thing("slots", _make, example=SLOT_ID),))
