"""The status transitions of a top-up, pure."""

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
"""pending → confirmed | failed. Money that arrives late confirms a failed top-up. Confirmed is final."""
