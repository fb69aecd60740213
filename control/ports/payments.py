"""
Interface to payment providers. The ledger changes when a top-up is confirmed, never on a promise.

Where the provider is unavailable: `PaymentsUnavailable` (503 with Retry-After), and no top-up is created.
A payment started for a top-up whose transaction then fails is never confirmed, because nobody received its
instructions.
"""

from dataclasses import dataclass
from typing import Protocol

from common.values.errors import Unavailable
from common.values.messages import Message


class PaymentsUnavailable(Unavailable):
    """The provider is unavailable; the same call may succeed later."""


@dataclass(frozen=True, slots=True)
class PaymentRequest:
    """A requested payment. ``top_up_id`` is ours: repeating a request with it makes no second payment."""

    top_up_id: str
    account_id: str
    account_name: str
    amount_cents: int
    currency: str


@dataclass(frozen=True, slots=True)
class PaymentStarted:
    """``reference``: the provider's name of the payment. ``instructions``: the payer's next steps, as text."""

    provider: str
    reference: str
    instructions: Message


class PaymentProvider(Protocol):
    async def start(self, payment: PaymentRequest) -> PaymentStarted:
        """Starts a payment; no money moves yet. Does I/O. Raises `PaymentsUnavailable`."""
        ...


class NoPayments:
    """Default for processes that take no payments."""

    async def start(self, payment: PaymentRequest) -> PaymentStarted:
        raise PaymentsUnavailable(
            Message(
                "This installation accepts no payments, so {amount_cents} cents cannot be paid in. "
                "Ask its operator to add the money.",
                amount_cents=payment.amount_cents,
            )
        )
