"""Privacy requests."""

from control.identity.privacy_requests.examples import PRIVACY_REQUEST_BODY
from tests.control.matrix_registry import Maker, Room, Thing


async def _request(maker: Maker) -> str:
    taken = await maker.customer.post("/v1/privacy/requests", PRIVACY_REQUEST_BODY)
    return str(taken.json()["id"])


ROOM = Room(things=(Thing("privacy/requests", _request),))
