"""Payments confirmed by an operator: the payer transfers money with a reference, the operator sees and confirms it."""

from common.values.messages import Message
from common.values.money import Amount
from control.ports.payments import PaymentRequest, PaymentStarted

_REFERENCE_CHARS = 12


class ManualPayments:
    """``instructions`` may contain ``{amount}`` and ``{reference}``. It does no I/O and is never unavailable."""

    def __init__(self, instructions: str) -> None:
        self._instructions = _format_of(instructions)

    async def start(self, payment: PaymentRequest) -> PaymentStarted:
        reference = f"TU-{payment.top_up_id.replace('-', '')[-_REFERENCE_CHARS:].upper()}"
        amount = Amount(payment.amount_cents, payment.currency)
        words = Message(self._instructions, amount=amount, reference=reference)
        return PaymentStarted("manual", reference, words)


def _format_of(instructions: str) -> str:
    """A format of the two placeholders; all other braces are text."""
    escaped = instructions.replace("{", "{{").replace("}", "}}")
    return escaped.replace("{{amount}}", "{amount}").replace("{{reference}}", "{reference}")
