"""
How money comes in from outside. The ledger learns of it when a top-up is confirmed, never from a promise.

When the provider is away: `PaymentsUnavailable` (503 with Retry-After), and no top-up was made. A payment that was
started for a top-up whose transaction failed afterwards is never confirmed: nobody was told how to pay it.
"""

from dataclasses import dataclass
from typing import Protocol

from common.values.errors import Unavailable


class PaymentsUnavailable(Unavailable):
    """The provider does not answer; the same call may succeed later."""


@dataclass(frozen=True, slots=True)
class PaymentRequest:
    """What somebody wants to pay in. ``top_up_id`` is ours: the same wish twice is one payment."""

    top_up_id: str
    account_id: str
    account_name: str
    amount_cents: int
    currency: str


@dataclass(frozen=True, slots=True)
class PaymentStarted:
    """``reference``: the provider's own name of the payment. ``instructions``: what the payer does next, in words."""

    provider: str
    reference: str
    instructions: str


class PaymentProvider(Protocol):
    async def start(self, wish: PaymentRequest) -> PaymentStarted:
        """Begin a payment; no money has moved. Waits for the outside. Raises `PaymentsUnavailable`."""
        ...


class NoPayments:
    """For processes that take none."""

    async def start(self, wish: PaymentRequest) -> PaymentStarted:
        raise PaymentsUnavailable(
            f"No payments are taken here, so none for {wish.amount_cents} cents."
        )
