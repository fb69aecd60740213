"""Reports name nothing that is made; what they show belongs to the account, and to a key's property."""

from tests.control.matrix_registry import Room

ROOM = Room(
    queries={
        "getDeliveryReport": {"from": "2026-01-01", "to": "2026-03-01"},
        "getHoursReport": {"from": "2026-02-01", "to": "2026-03-01"},
    }
)
