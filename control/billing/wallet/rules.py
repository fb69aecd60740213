"""A top-up's life, pure."""

from control.billing.wallet.schemas import TopUpStatus
from control.foundation.state_machine import Transitions

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
