"""Subscriptions with a term: renewed and charged, or warned of and ended."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from common.values.clock import to_ms
from common.values.ids import new_id
from control.api.context import ControlContext
from control.api.mail.send import send_due_mails
from control.api.operator_action import operator_action
from control.billing.invoicing import operator_actions
from control.billing.invoicing.jobs import chase_invoices, make_invoices
from control.billing.invoicing.renewing import move_subscriptions
from control.billing.ledger.entries import REVENUE, WALLET
from control.foundation.subscription_terms import Term
from control.ports.mail import Mail, MailRefused
from tests.control.billing.ledger.world import Money, invoices, lines, set_time, spend, state

END = datetime(2026, 3, 1, tzinfo=UTC)


class Mailbox:
    """A mail server that takes everything, or refuses everything."""

    def __init__(self, *, refuses: bool = False) -> None:
        self.taken: list[Mail] = []
        self._refuses = refuses

    async def send(self, mail: Mail, *, message_id: str) -> None:
        if self._refuses:
            raise MailRefused(f"no such mailbox for {message_id}")
        self.taken.append(mail)

    async def check(self) -> None:
        """Nothing here asks for it."""

    async def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
async def subscribed(money: Money, control: ControlContext) -> Money:
    """An owner, and a subscription that ends on 1 March and does not renew."""
    set_time(money, 2026, 2, 10)
    user = new_id()
    await money.run(
        "insert into users (id, email, name, password_hash, created_at) "
        "values (:id, :email, 'Ana', '', now())",
        id=user,
        email=f"{user}@people.example",
    )
    await money.run(
        "insert into memberships (account_id, user_id, id, role, version, created_at, updated_at) "
        "values (:account, :user, :user, 'owner', 1, now(), now())",
        account=money.account_id,
        user=user,
    )
    control.settings = control.settings.model_copy(update={"subscriptions": True})
    control.mailer = Mailbox()
    await _start(money, control, renews=False)
    return money


async def _start(money: Money, control: ControlContext, *, renews: bool) -> None:
    terms = operator_actions.SubscriptionTerms(
        price_cents=4900, term=Term.MONTH, ends_on=END, renews=renews
    )
    async with operator_action(control) as act:
        await operator_actions.start_subscription(act, money.account_id, "standard", terms)


def _move_to(money: Money, at: datetime) -> None:
    money.clock.advance(ms=to_ms(at) - money.clock.now_ms())


async def _live(money: Money, control: ControlContext, day: int, job: Any) -> None:
    """The scheduler on that day of the end: the job, then the mails."""
    _move_to(money, END + timedelta(days=day, hours=1))
    await job(control)
    await send_due_mails(control)


async def test_owners_have_five_mails_and_then_the_account_is_suspended(
    subscribed: Money, control: ControlContext
) -> None:
    assert isinstance(control.mailer, Mailbox)
    for day in range(-16, 15):
        await _live(subscribed, control, day, move_subscriptions)
    before = await state(subscribed)
    await _live(subscribed, control, 15, move_subscriptions)

    assert before == ("active", None)
    assert await state(subscribed) == ("suspended", "subscription_ended")
    assert len(control.mailer.taken) == 5
    first, last = control.mailer.taken[0].text, control.mailer.taken[-1].text
    assert "ends on March 1, 2026" in first
    assert "€49.00" in first
    assert "suspended on March 16, 2026" in last


async def test_without_accepted_mails_nobody_is_suspended(
    subscribed: Money, control: ControlContext
) -> None:
    control.mailer = Mailbox(refuses=True)
    for day in (-14, -3, 0, 3, 14, 15, 16, 40):
        await _live(subscribed, control, day, move_subscriptions)
    refused = await state(subscribed)
    control.mailer = Mailbox()
    for day in (41, 42, 43):
        await _live(subscribed, control, day, move_subscriptions)

    assert refused == ("active", None)
    assert len(control.mailer.taken) == 2
    assert await state(subscribed) == ("suspended", "subscription_ended")


async def test_a_renewal_is_charged_once_and_is_on_the_invoice(
    subscribed: Money, control: ControlContext
) -> None:
    await _start(subscribed, control, renews=True)
    for _ in range(2):
        await _live(subscribed, control, 0, move_subscriptions)
    (account,) = await subscribed.rows(
        "select term_started_at, subscription_ends_at from accounts where id = :id",
        id=subscribed.account_id,
    )
    balances = await subscribed.balances()
    set_time(subscribed, 2026, 4, 2)
    await make_invoices(control)

    assert tuple(account) == (END, datetime(2026, 4, 1, tzinfo=UTC))
    assert balances == {WALLET: -49_000_000, REVENUE: 49_000_000}
    (invoice,) = await invoices(subscribed)
    assert invoice.amount_cents == 4900
    assert await lines(subscribed, invoice.id) == [("subscription", None, None, 49_000_000)]


async def test_a_subscription_from_the_31st_returns_to_it_after_a_short_month(
    subscribed: Money, control: ControlContext
) -> None:
    await _start(subscribed, control, renews=True)
    await subscribed.run(
        "update accounts set subscription_started_at = :begun, subscription_ends_at = :ends where id = :id",
        begun=datetime(2026, 1, 31, tzinfo=UTC),
        ends=datetime(2026, 2, 28, tzinfo=UTC),
        id=subscribed.account_id,
    )
    ends = []
    for month, day in ((2, 28), (3, 31), (4, 30)):
        set_time(subscribed, 2026, month, day)
        await move_subscriptions(control)
        found = "select subscription_ends_at from accounts where id = :id"
        [(end_at,)] = await subscribed.rows(found, id=subscribed.account_id)
        ends.append((end_at.month, end_at.day))

    assert ends == [(3, 31), (4, 30), (5, 31)]


@pytest.mark.parametrize("renews", [True, False])
async def test_a_closed_account_is_neither_charged_nor_warned(
    subscribed: Money, control: ControlContext, *, renews: bool
) -> None:
    assert isinstance(control.mailer, Mailbox)
    await _start(subscribed, control, renews=renews)
    await subscribed.run(
        "update accounts set state = 'suspended', state_reason = 'closed' where id = :id",
        id=subscribed.account_id,
    )
    for day in (-14, 0, 1, 40):
        await _live(subscribed, control, day, move_subscriptions)

    assert await subscribed.balances() == {}
    assert control.mailer.taken == []


async def test_with_subscriptions_off_every_account_is_subscribed(
    subscribed: Money, control: ControlContext
) -> None:
    control.settings = control.settings.model_copy(update={"subscriptions": False})
    await _live(subscribed, control, 60, move_subscriptions)

    assert await state(subscribed) == ("active", None)


async def test_an_unpaid_invoice_suspends_after_its_mails_only(
    subscribed: Money, control: ControlContext
) -> None:
    assert isinstance(control.mailer, Mailbox)
    await spend(subscribed, 1_000_000)
    set_time(subscribed, 2026, 3, 1)
    await make_invoices(control)
    due = (await invoices(subscribed))[0].due_at
    for day in (-14, -3, 0, 3, 14):
        _move_to(subscribed, due + timedelta(days=day, hours=1))
        await chase_invoices(control)
        await send_due_mails(control)
    late = await state(subscribed)
    _move_to(subscribed, due + timedelta(days=15))
    await chase_invoices(control)

    assert late == ("past_due", "payment_failed")
    assert await state(subscribed) == ("suspended", "payment_failed")
    assert [mail.subject for mail in control.mailer.taken] == ["Unpaid invoice"] * 5
    assert "€1.00" in control.mailer.taken[0].text
