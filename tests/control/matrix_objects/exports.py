"""Exports, in the matrix."""

from control.reporting.exports.operations import EXPORT_ID
from tests.control.matrix_registry import Maker, Room, Thing


async def _make(maker: Maker) -> str:
    """Of one property, by its owner; queued, for nobody makes it."""
    body = {
        "kind": "events",
        "format": "csv",
        "from": "2026-02-01",
        "to": "2026-02-08",
        "property_id": [await maker.id_of("properties")],
    }
    path = "/v1/reports/exports?environment=live"
    answer = await maker.customer.post(path, body)
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


ROOM = Room(
    things=(Thing("reports/exports", _make, example=EXPORT_ID, has_environment=True),),
)
