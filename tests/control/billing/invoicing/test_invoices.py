"""Invoices: once a month, to the micro, and what happens when they are not paid."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest

from common.values.enums import EventKind, PricingModel
from common.values.errors import Refused
from common.values.ids import new_id
from control.api.context import ControlContext
from control.api.operator_action import operator_action
from control.billing.invoicing import jobs, operator_actions
from control.billing.invoicing.invoicing import make_invoice
from control.billing.invoicing.jobs import chase_invoices, end_subscriptions, make_invoices
from control.billing.ledger import entries
from control.billing.ledger.check import find_imbalances
from control.billing.ledger.entries import RECEIVABLE, WALLET
from control.billing.wallet.operator_actions import set_terms
from control.billing.wallet.schemas import BillingMode
from control.identity.accounts.rules import StatusCause
from control.operations.admin_cli.accounts import move_account
from tests.control.billing.ledger.world import (
    Money,
    a_reference,
    invoices,
    lines,
    set_time,
    spend,
    state,
)


@pytest.fixture
def february(money: Money) -> Money:
    set_time(money, 2026, 2, 10)
    return money


async def past_due(money: Money, control: ControlContext) -> Any:
    """An invoice of 100 cents, a day past due."""
    await spend(money, 1_000_000)
    set_time(money, 2026, 3, 1)
    await make_invoices(control)
    set_time(money, 2026, 3, 16)
    await chase_invoices(control)
    return (await invoices(money))[0]


async def test_the_lines_add_up_to_the_micro(february: Money, control: ControlContext) -> None:
    clicks = await february.add_campaign(pricing_model=PricingModel.CPC)
    views = await february.add_campaign()
    click: dict[str, Any] = {"kind": EventKind.CLICK, "pricing_model": PricingModel.CPC}
    await february.charge(clicks, 50_001, 50_002, **click)
    await february.charge(views, 1003)
    await february.post_spend()
    await february.post(entries.adjustment(a_reference(), 1, "operator"))
    set_time(february, 2026, 3, 1)
    await make_invoices(control)

    (invoice,) = await invoices(february)
    found = await lines(february, invoice.id)
    assert found == [
        ("spend", "click", 2, 100_003),
        ("spend", "impression", 1, 1003),
        ("adjustment", None, None, -10_000),
    ]
    assert invoice.total_micros == sum(line[3] for line in found) == 91_006
    assert (invoice.amount_cents, invoice.status) == (9, "open")


async def test_a_month_is_invoiced_once(february: Money, control: ControlContext) -> None:
    await spend(february, 1_000_000)
    set_time(february, 2026, 3, 1)
    for _ in range(3):
        await make_invoices(control)

    assert [invoice.amount_cents for invoice in await invoices(february)] == [100]
    assert await february.balances() == {
        entries.REVENUE: 1_000_000,
        RECEIVABLE: -1_000_000,
    }


async def test_a_month_whose_invoice_fails_is_invoiced_before_the_next(
    february: Money, control: ControlContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    await spend(february, 1_000_000)
    set_time(february, 2026, 3, 10)
    await spend(february, 2_000_000)
    set_time(february, 2026, 4, 1)

    async def fail_for_february(
        session: Any, account_id: str, month: date, now: datetime, *, due_days: int
    ) -> Any:
        if month == date(2026, 2, 1):
            raise ValueError("February")
        return await make_invoice(session, account_id, month, now, due_days=due_days)

    with monkeypatch.context() as patched:
        patched.setattr(jobs, "make_invoice", fail_for_february)
        with pytest.raises(ValueError, match="February"):
            await make_invoices(control)
    assert await invoices(february) == []

    await make_invoices(control)
    found = [(invoice.month, invoice.amount_cents) for invoice in await invoices(february)]
    assert found == [(date(2026, 2, 1), 100), (date(2026, 3, 1), 200)]


async def test_the_current_month_is_not_invoiced(february: Money, control: ControlContext) -> None:
    await spend(february, 1_000_000)
    await make_invoices(control)

    assert await invoices(february) == []


async def test_amounts_below_a_cent_are_carried_to_the_next_invoice(
    february: Money, control: ControlContext
) -> None:
    await spend(february, 14_000)
    set_time(february, 2026, 3, 5)
    await make_invoices(control)
    await spend(february, 7000)
    set_time(february, 2026, 4, 1)
    await make_invoices(control)

    first, second = await invoices(february)
    assert (first.amount_cents, second.amount_cents) == (1, 1)
    assert await lines(february, second.id) == [
        ("carried", None, None, 4000),
        ("spend", "impression", 1, 7000),
    ]
    assert (await february.balances())[WALLET] == -1000


async def test_missed_months_are_invoiced_in_order(
    february: Money, control: ControlContext
) -> None:
    await spend(february, 15_000)
    set_time(february, 2026, 3, 10)
    await spend(february, 15_000)
    set_time(february, 2026, 5, 2)
    await make_invoices(control)

    found = await invoices(february)
    assert [(str(one.month), one.total_micros, one.amount_cents) for one in found] == [
        ("2026-02-01", 15_000, 1),
        ("2026-03-01", 20_000, 2),
    ]


async def test_an_invoice_paid_from_the_wallet_needs_no_payment(
    february: Money, control: ControlContext
) -> None:
    await february.post(entries.top_up(new_id(), 500, "operator"))
    await spend(february, 1_234_567)
    set_time(february, 2026, 3, 1)
    await make_invoices(control)

    (invoice,) = await invoices(february)
    assert (invoice.status, invoice.amount_cents) == ("paid", 0)
    assert invoice.total_micros == 1_234_567 - 5_000_000


async def test_a_top_up_settles_what_a_prepaid_account_overspent(
    february: Money, control: ControlContext
) -> None:
    async with operator_action(control) as act:
        await set_terms(act, february.account_id, BillingMode.PREPAID, None)
    await spend(february, 50_000)
    set_time(february, 2026, 3, 1)
    await make_invoices(control)
    owed = await february.balances()
    await february.post(entries.top_up(new_id(), 500, "operator"))
    set_time(february, 2026, 4, 1)
    await make_invoices(control)
    set_time(february, 2026, 5, 1)
    await chase_invoices(control)

    first, second = await invoices(february)
    assert (first.status, first.amount_cents, first.total_micros) == ("paid", 0, 50_000)
    assert owed == {entries.REVENUE: 50_000, WALLET: -50_000}
    assert await lines(february, second.id) == [
        ("carried", None, None, 50_000),
        ("top_up", None, None, -5_000_000),
    ]
    assert await state(february) == ("active", None)


async def test_an_unpaid_invoice_makes_past_due_and_does_not_suspend_without_warning(
    february: Money, control: ControlContext
) -> None:
    invoice = await past_due(february, control)
    late = await state(february)
    set_time(february, 2026, 3, 30)
    await chase_invoices(control)
    await chase_invoices(control)

    assert invoice.status == "past_due"
    assert late == ("past_due", "payment_failed")
    assert await state(february) == ("past_due", "payment_failed"), "it has no owner who had a mail"


async def test_payment_lifts_a_suspension_by_billing(
    february: Money, control: ControlContext
) -> None:
    invoice = await past_due(february, control)
    set_time(february, 2026, 4, 30)
    await chase_invoices(control)
    for _ in range(2):
        async with operator_action(control) as act:
            paid = await operator_actions.pay_invoice(act, invoice.id)

    assert paid["status"] == "paid"
    assert await state(february) == ("active", None)
    assert await february.balances() == {entries.REVENUE: 1_000_000, entries.CASH: -1_000_000}


async def test_payment_does_not_lift_an_operators_suspension(
    february: Money, control: ControlContext
) -> None:
    invoice = await past_due(february, control)
    async with operator_action(control) as act:
        await move_account(act, february.account_id, StatusCause.SUSPENDED)
    async with operator_action(control) as act:
        await operator_actions.pay_invoice(act, invoice.id)

    assert await state(february) == ("suspended", "operator")


async def test_a_voided_invoice_is_carried_and_lifts_past_due(
    february: Money, control: ControlContext
) -> None:
    invoice = await past_due(february, control)
    async with operator_action(control) as act:
        await operator_actions.void_invoice(act, invoice.id)
    lifted = await state(february)
    await spend(february, 30_000)
    set_time(february, 2026, 4, 1)
    await make_invoices(control)

    assert lifted == ("active", None)
    second = (await invoices(february))[1]
    assert (second.total_micros, second.amount_cents) == (1_030_000, 103)


async def test_a_paid_invoice_cannot_be_voided(february: Money, control: ControlContext) -> None:
    invoice = await past_due(february, control)
    async with operator_action(control) as act:
        await operator_actions.pay_invoice(act, invoice.id)
    with pytest.raises(Refused, match="is `paid`, so `void` is not possible"):
        async with operator_action(control) as act:
            await operator_actions.void_invoice(act, invoice.id)


async def test_later_entries_do_not_change_a_closed_month(
    february: Money, control: ControlContext
) -> None:
    await spend(february, 20_000)
    set_time(february, 2026, 3, 1)
    await make_invoices(control)
    february.clock.advance(ms=-timedelta(hours=2) // timedelta(milliseconds=1))
    await spend(february, 50_000)
    set_time(february, 2026, 4, 1)
    await make_invoices(control)

    assert [one.amount_cents for one in await invoices(february)] == [2, 5]
    async with february.database.service() as session:
        assert await find_imbalances(session) == []


async def test_a_subscription_that_ended_suspends_until_it_starts_again(
    february: Money, control: ControlContext
) -> None:
    async with operator_action(control) as act:
        await operator_actions.end_subscription(act, february.account_id)
    ended = await state(february)
    async with operator_action(control) as act:
        await move_account(act, february.account_id, StatusCause.ACTIVATED)
    await end_subscriptions(control)
    again = await state(february)
    async with operator_action(control) as act:
        await operator_actions.start_subscription(act, february.account_id, "standard")
    await end_subscriptions(control)

    assert ended == again == ("suspended", "subscription_ended")
    assert await state(february) == ("active", None)
