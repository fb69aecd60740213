"""The operator's money commands, by the command line as it is run."""

import pytest
from sqlalchemy import text

from tests.control.operations.admin_cli.command import admin, refused, run_control
from tests.support.control_api import ControlApi
from tests.support.money import bill_last_month
from tests.support.resources import Customer, made


@pytest.fixture
async def customer(api: ControlApi) -> Customer:
    return Customer(api, await api.sign_up())


async def test_confirming_a_top_up_prints_the_wallet_and_is_audited(
    api: ControlApi, customer: Customer
) -> None:
    top_up = made(await customer.post("/v1/wallet/top-ups", {"amount_cents": 250}))
    printed = await admin(api, "money", "confirm-top-up", "--top-up", top_up["id"])

    assert (printed["balance_cents"], printed["status"]) == (250, "confirmed")
    async with api.control.database.service() as session:
        acts = await session.scalars(
            text("select actor from audit_log where action = 'top_up.confirm' and object_id = :id"),
            {"id": top_up["id"]},
        )
        assert list(acts) == ["operator"]


async def test_paying_an_invoice_prints_it(api: ControlApi, customer: Customer) -> None:
    invoice = await bill_last_month(api.control, customer.person.account_id, 100)
    printed = await admin(api, "money", "pay-invoice", "--invoice", invoice.id)

    assert printed["status"] == "paid"
    shown = (await customer.get(f"/v1/billing/invoices/{invoice.id}")).json()
    assert (shown["status"], [line["micros"] for line in shown["lines"]]) == ("paid", [1_000_000])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("pay-invoice", "--invoice", "nothing"), "There is no invoice 'nothing'."),
        (("approve-payout", "--payout", "nothing"), "There is no payout 'nothing'."),
    ],
)
async def test_a_missing_object_is_reported_in_a_sentence(
    api: ControlApi, arguments: tuple[str, ...], text: str
) -> None:
    assert await refused(api, "money", *arguments) == text


async def test_more_than_the_wallet_holds_is_not_refunded(
    api: ControlApi, customer: Customer
) -> None:
    account = ("--account", customer.person.account_id)
    code, _, errors = await run_control(
        api, "admin", "money", "refund", *account, "--amount-cents", "5", "--memo", "Sent back"
    )

    assert (code, errors) == (1, b"The wallet holds 0 cents that were not spent.\n")


async def test_a_prepaid_account_is_given_no_credit_limit(
    api: ControlApi, customer: Customer
) -> None:
    terms = ("--account", customer.person.account_id, "--mode", "prepaid")
    text = await refused(api, "money", "set-terms", *terms, "--credit-limit-cents", "500")

    assert text == "A prepaid account has no credit. Leave the credit limit out."
    assert (await customer.get("/v1/wallet")).json()["mode"] == "invoiced"


async def test_the_check_reports_that_the_ledger_is_consistent(api: ControlApi) -> None:
    assert await admin(api, "money", "check") == {"drift": []}
