"""The status transitions of a top-up, pure."""

from control.billing.wallet.schemas import TopUpStatus
from control.foundation.state_machine import Transitions

CONFIRM, FAIL, CANCEL = "confirm", "fail", "cancel"

TRANSITIONS = Transitions(
    "top-up",
    {
        (TopUpStatus.PENDING, CONFIRM): TopUpStatus.CONFIRMED,
        (TopUpStatus.PENDING, FAIL): TopUpStatus.FAILED,
        (TopUpStatus.PENDING, CANCEL): TopUpStatus.CANCELLED,
        (TopUpStatus.FAILED, CONFIRM): TopUpStatus.CONFIRMED,
        (TopUpStatus.CANCELLED, CONFIRM): TopUpStatus.CONFIRMED,
    },
)
"""
pending → confirmed | failed | cancelled. Money that arrives late confirms a failed or cancelled top-up. Confirmed is
final.
"""
