"""What every payment provider does, whoever carries the money."""

import pytest

from common.values.ids import new_id
from control.adapters.manual_payments import ManualPayments
from control.ports.payments import PaymentProvider, PaymentRequest


@pytest.fixture(params=["manual"])
def provider(request: pytest.FixtureRequest) -> PaymentProvider:
    providers: dict[str, PaymentProvider] = {
        "manual": ManualPayments("Transfer {amount} and name {reference}.")
    }
    return providers[request.param]


def a_payment_request(cents: int = 123_456) -> PaymentRequest:
    return PaymentRequest(new_id(), new_id(), "Acme {reference}", cents, "EUR")


async def test_the_payer_receives_the_amount_and_the_reference(provider: PaymentProvider) -> None:
    started = await provider.start(a_payment_request())

    assert "EUR 1,234.56" in started.instructions
    assert started.reference in started.instructions
    assert started.provider


async def test_the_same_payment_requested_twice_is_one_payment(provider: PaymentProvider) -> None:
    payment = a_payment_request()

    assert await provider.start(payment) == await provider.start(payment)


async def test_different_payments_have_different_references(provider: PaymentProvider) -> None:
    references = {(await provider.start(a_payment_request())).reference for _ in range(100)}

    assert len(references) == 100
