"""Payments confirmed by an operator: the payer transfers money with a reference, the operator sees and confirms it."""

from common.values.money import amount_text
from control.ports.payments import PaymentRequest, PaymentStarted

_REFERENCE_CHARS = 12


class ManualPayments:
    """``instructions`` may contain ``{amount}`` and ``{reference}``. It does no I/O and is never unavailable."""

    def __init__(self, instructions: str) -> None:
        self._instructions = instructions

    async def start(self, wish: PaymentRequest) -> PaymentStarted:
        reference = f"TU-{wish.top_up_id.replace('-', '')[-_REFERENCE_CHARS:].upper()}"
        amount = amount_text(wish.amount_cents, wish.currency)
        words = self._instructions.replace("{amount}", amount).replace("{reference}", reference)
        return PaymentStarted("manual", reference, words)
