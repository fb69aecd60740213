"""Payments by an operator's hand: the payer transfers with a reference, the operator sees it and confirms."""

from common.values.money import amount_text
from control.ports.payments import PaymentRequest, PaymentStarted

_REFERENCE_CHARS = 12


class ManualPayments:
    """``instructions`` may name ``{amount}`` and ``{reference}``. Waits for nobody and is never away."""

    def __init__(self, instructions: str) -> None:
        self._instructions = instructions

    async def start(self, wish: PaymentRequest) -> PaymentStarted:
        reference = f"TU-{wish.top_up_id.replace('-', '')[-_REFERENCE_CHARS:].upper()}"
        amount = amount_text(wish.amount_cents, wish.currency)
        words = self._instructions.replace("{amount}", amount).replace("{reference}", reference)
        return PaymentStarted("manual", reference, words)
