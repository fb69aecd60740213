"""The connections of one app: how many it holds and may hold, and how many it got rid of unasked."""

from dataclasses import dataclass

STALLED_S = 30.0
"""A client that takes fewer than `LEAST_BYTES` of what waits for it in so long is cut."""
LEAST_BYTES = 16_384


@dataclass(slots=True)
class Connections:
    """Written by the protocol, read by metrics. *stalled_s*: `STALLED_S`, unless a test is in a hurry."""

    most: int
    stalled_s: float = STALLED_S
    open: int = 0
    refused: int = 0
    """Closed as they came, for there were as many as may be."""
    stalled: int = 0
    """Cut, for the client did not read its answers."""
