"""Saved views, in the matrix."""

from control.reporting.views.operations import VIEW_ID
from tests.control.matrix_registry import NAME, Maker, Room, Thing
from tests.support.resources import made


async def _make(maker: Maker) -> str:
    """Of the whole account, and of one campaign."""
    body = {
        "name": NAME,
        "is_shared": True,
        "question": {"range": "7d", "campaign_id": [await maker.id_of("campaigns")]},
    }
    answer = await maker.customer.post("/v1/reports/views?environment=live", body)
    return str(made(answer)["id"])


ROOM = Room(things=(Thing("reports/views", _make, example=VIEW_ID, has_environment=True),))
