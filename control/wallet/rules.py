"""A top-up's life, pure."""

from control.states import Transitions
from control.wallet.schemas import TopUpStatus

CONFIRM, FAIL = "confirm", "fail"

TRANSITIONS = Transitions(
    "top-up",
    {
        (TopUpStatus.PENDING, CONFIRM): TopUpStatus.CONFIRMED,
        (TopUpStatus.PENDING, FAIL): TopUpStatus.FAILED,
        (TopUpStatus.FAILED, CONFIRM): TopUpStatus.CONFIRMED,
    },
)
"""pending → confirmed | failed; money that came after all confirms a failed one. Confirmed is final."""
