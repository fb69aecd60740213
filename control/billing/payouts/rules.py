"""The rules of payouts, pure: status transitions and limits of the amount."""

from common.values.errors import Detail, ErrorCode, Refused
from common.values.messages import Message
from common.values.money import micros_to_cents
from control.billing.payouts.schemas import PayoutStatus
from control.foundation.state_machine import Transitions

APPROVE, PAY, FAIL = "approve", "pay", "fail"

TRANSITIONS = Transitions(
    "payout",
    {
        (PayoutStatus.REQUESTED, APPROVE): PayoutStatus.APPROVED,
        (PayoutStatus.REQUESTED, FAIL): PayoutStatus.FAILED,
        (PayoutStatus.APPROVED, PAY): PayoutStatus.PAID,
        (PayoutStatus.APPROVED, FAIL): PayoutStatus.FAILED,
    },
)
"""requested → approved → paid. Before it is paid a payout may fail, which returns the money to the property."""


def payee_of(payout: dict[str, object]) -> str:
    """The payee of a property's ``payout``. Raises 409 `invalid_state` if there is none."""
    payee = payout.get("payee")
    if not isinstance(payee, str) or not payee:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message("The property has no payee. Set its `payout.payee` first."),
            param="property_id",
            details=(
                Detail("property_id", "payee_missing", Message("`payout.payee` is not set.")),
            ),
        )
    return payee


def amount_of(requested_cents: int | None, payable_micros: int) -> int:
    """The amount in cents. Raises 409 `insufficient_balance` if the property has not earned that much."""
    there = max(0, micros_to_cents(payable_micros))
    amount = there if requested_cents is None else requested_cents
    if there == 0:
        raise Refused(
            ErrorCode.INSUFFICIENT_BALANCE,
            Message("The property has no balance to pay out. Wait until it has earnings."),
            param="amount_cents",
        )
    if amount < 1 or amount > there:
        raise Refused(
            ErrorCode.INSUFFICIENT_BALANCE,
            Message(
                "The property has {available_cents} cents to pay out. Request 1 to {available_cents} "
                "cents, or wait for more earnings.",
                available_cents=there,
            ),
            param="amount_cents",
        )
    return amount
