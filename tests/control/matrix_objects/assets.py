"""Assets, in the matrix."""

from control.foundation.openapi_examples import ASSET_ID
from tests.control.matrix_registry import NAME, Maker, Room, Thing
from tests.support.resources import made


async def _make(maker: Maker) -> str:
    """Announced, and never sent."""
    body = {"kind": "image", "filename": NAME, "mime": "image/png", "bytes": 100}
    return str(made(await maker.customer.post("/v1/assets?environment=live", body))["id"])


ROOM = Room(
    things=(Thing("assets", _make, example=ASSET_ID, has_environment=True),),
    unversioned=frozenset({"updateAsset"}),
)
