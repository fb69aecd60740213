"""The ledger as a small model predicts it, beside the real one: one step moves both."""

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import text

from common.values.clock import to_ms
from common.values.errors import Refused
from common.values.ids import new_id
from control.api.context import ControlContext
from control.api.operator_action import ActionRefused, operator_action
from control.billing.invoicing import operator_actions as billing
from control.billing.invoicing.jobs import make_invoices
from control.billing.invoicing.rules import month_after, month_of, start_of
from control.billing.ledger import entries
from control.billing.ledger.entries import (
    ADJUSTMENTS,
    CASH,
    PAYOUT,
    RECEIVABLE,
    REVENUE,
    WALLET,
    LedgerAccount,
)
from control.billing.ledger.jobs import check_account_funds
from control.billing.payouts import operator_actions as payouts
from control.billing.payouts.request import request_payout
from control.billing.wallet import operator_actions as wallet
from control.storage.tables.money import TopUpRow
from control.storage.tables.properties import PropertyRow
from tests.control.billing.ledger.world import Money, a_reference

MAX_CENTS = 1000
PRICE_MICROS = 70_001
"""Of one charge, at most: what may be on its way when the gate closes."""
SHARE = 33


@dataclass
class Books:
    """
    ``pots`` is what the model says. An account without credit, which spends only while edges would let it.

    Every verb takes any number and makes of it something it can do, or does nothing.
    """

    money: Money
    control: ControlContext
    campaign: str
    pots: dict[LedgerAccount, int] = field(default_factory=dict)
    spent_micros: int = 0
    taken_micros: int = 0
    """What adjustments took out of the wallet: it may fall below zero by that."""
    top_ups: list[tuple[str, int]] = field(default_factory=list)
    requested: list[tuple[str, int]] = field(default_factory=list)
    approved: list[tuple[str, int]] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)

    async def check(self) -> None:
        """The real balances are the model's, sum to zero, and are above the bound."""
        real = await self.money.balances()
        assert real == {pot: micros for pot, micros in self.pots.items() if micros}
        assert sum(real.values()) == 0
        here = real.get(WALLET, 0) + real.get(RECEIVABLE, 0)
        assert here >= -self.taken_micros - PRICE_MICROS

    async def top_up(self, number: int) -> None:
        cents = number % MAX_CENTS + 1
        row = TopUpRow(
            id=new_id(),
            account_id=self.money.account_id,
            amount_cents=cents,
            status="pending",
            provider="manual",
            provider_reference="R",
            instructions="I",
            created_at=self.money.clock.now(),
        )
        async with self.money.database.service() as session:
            session.add(row)
        self.top_ups.append((row.id, cents))
        await self._confirm(row.id)
        self._move(CASH, WALLET, cents * 10_000)

    async def confirm_again(self, number: int) -> None:
        if self.top_ups:
            await self._confirm(self.top_ups[number % len(self.top_ups)][0])

    async def adjust(self, number: int) -> None:
        cents = number % MAX_CENTS - MAX_CENTS // 4 or 1
        reference = a_reference()
        for _ in range(2):
            async with operator_action(self.control) as act:
                await wallet.adjust(act, self.money.account_id, cents, reference, "memo")
        self._move(ADJUSTMENTS, WALLET, cents * 10_000)
        self.taken_micros += max(0, -cents * 10_000)

    async def refund(self, number: int) -> None:
        cents = number % MAX_CENTS + 1
        try:
            async with operator_action(self.control) as act:
                await wallet.refund(act, self.money.account_id, cents, a_reference(), "memo")
        except ActionRefused:
            assert self.pots.get(WALLET, 0) < cents * 10_000
        else:
            self._move(WALLET, CASH, cents * 10_000)

    async def spend(self, number: int) -> None:
        await check_account_funds(self.control)
        if not await self._is_funded():
            return
        price = number % PRICE_MICROS + 1
        await self.money.charge(self.campaign, price)
        for _ in range(2):
            await self.money.post_spend()
        before = self.spent_micros * SHARE // 100
        self.spent_micros += price
        share = self.spent_micros * SHARE // 100 - before
        self._move(WALLET, REVENUE, price)
        self._move(REVENUE, entries.payable(self.money.property_id), share)

    async def close_month(self, _number: int) -> None:
        self._advance(start_of(month_after(month_of(self.money.clock.now()))))
        before = await self._invoices()
        for _ in range(2):
            await make_invoices(self.control)
        for invoice_id, (_, cents) in (await self._invoices()).items():
            if invoice_id not in before:
                self._move(RECEIVABLE, WALLET, cents * 10_000)

    async def pay(self, number: int) -> None:
        invoice = await self._open_invoice(number)
        if invoice is not None:
            for _ in range(2):
                async with operator_action(self.control) as act:
                    await billing.pay_invoice(act, invoice[0])
            self._move(CASH, RECEIVABLE, invoice[1] * 10_000)

    async def void(self, number: int) -> None:
        invoice = await self._open_invoice(number)
        if invoice is not None:
            for _ in range(2):
                async with operator_action(self.control) as act:
                    await billing.void_invoice(act, invoice[0])
            self._move(WALLET, RECEIVABLE, invoice[1] * 10_000)

    async def ask(self, number: int) -> None:
        pot = entries.payable(self.money.property_id)
        cents = number % 20 + 1
        try:
            async with self.money.database.service() as session:
                site = await session.get_one(PropertyRow, self.money.property_id)
                now = self.money.clock.now()
                row = await request_payout(session, site, cents, user_id=None, now=now)
        except Refused:
            assert self.pots.get(pot, 0) < cents * 10_000
        else:
            self.requested.append((row.id, cents))
            self._move(pot, PAYOUT, cents * 10_000)

    async def approve(self, number: int) -> None:
        if self.requested:
            payout = self.requested.pop(number % len(self.requested))
            async with operator_action(self.control) as act:
                await payouts.approve(act, payout[0])
            self.approved.append(payout)

    async def mark_paid(self, number: int) -> None:
        if self.approved:
            payout_id, cents = self.approved.pop(number % len(self.approved))
            for _ in range(2):
                async with operator_action(self.control) as act:
                    await payouts.mark_paid(act, payout_id)
            self._move(PAYOUT, CASH, cents * 10_000)

    async def fail(self, number: int) -> None:
        waiting = self.requested or self.approved
        if waiting:
            payout_id, cents = waiting.pop(number % len(waiting))
            for _ in range(2):
                async with operator_action(self.control) as act:
                    await payouts.fail(act, payout_id, "no")
            self._move(PAYOUT, entries.payable(self.money.property_id), cents * 10_000)

    def _move(self, out_of: LedgerAccount, into: LedgerAccount, micros: int) -> None:
        self.pots[out_of] = self.pots.get(out_of, 0) - micros
        self.pots[into] = self.pots.get(into, 0) + micros

    async def _confirm(self, top_up_id: str) -> None:
        async with operator_action(self.control) as act:
            await wallet.confirm_top_up(act, top_up_id)

    def _advance(self, to: datetime) -> None:
        self.money.clock.advance(ms=to_ms(to) - self.money.clock.now_ms())

    async def _is_funded(self) -> bool:
        async with self.money.database.service() as session:
            return bool(
                await session.scalar(
                    text("select funded from accounts where id = :id"),
                    {"id": self.money.account_id},
                )
            )

    async def _invoices(self) -> dict[str, tuple[str, int]]:
        rows = await self.money.rows(
            "select id, status, amount_cents from invoices where account_id = :id order by month",
            id=self.money.account_id,
        )
        return {row[0]: (row[1], row[2]) for row in rows}

    async def _open_invoice(self, number: int) -> tuple[str, int] | None:
        waiting = [
            (invoice_id, cents)
            for invoice_id, (status, cents) in (await self._invoices()).items()
            if status == "open"
        ]
        return waiting[number % len(waiting)] if waiting else None
