"""
Checks whether an account can pay for its live campaigns: `prepaid` accounts from the wallet, `invoiced` ones up to
their limit.

The gate closes at ``available <= 0``. Spend that ingest charged but that is not posted yet counts as spent.
A wallet can fall below zero only by what was in flight when the gate closed: charges in the second between two checks
and in the quarter of a second until edges have the change, and what tokens issued before can still redeem (10 minutes
for web, 30 days for email). Campaign budgets are clipped inside the event's transaction and are never exceeded.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.snapshot.model import ObjectType
from common.values.money import cents_to_micros
from control.billing.ledger.entries import RECEIVABLE, WALLET, LedgerAccount
from control.billing.ledger.post import balances_of
from control.outbox.changes import Changes

PREPAID = "prepaid"
INVOICED = "invoiced"

_TERMS = text("select billing_mode, credit_limit_cents from accounts where id = :account")
_PENDING = text("select coalesce(sum(micros), 0) from charges where account_id = :account")
_SET = text(
    "update accounts set funded = :funded where id = :account and funded <> :funded returning id"
)


@dataclass(frozen=True, slots=True)
class Funds:
    """``pending_micros``: charged and not posted yet. ``credit_limit_cents``: None means no limit."""

    mode: str
    credit_limit_cents: int | None
    balances: Mapping[LedgerAccount, int]
    pending_micros: int

    @property
    def wallet_micros(self) -> int:
        return self.balances.get(WALLET, 0)

    @property
    def invoiced_micros(self) -> int:
        """The sum of the open invoices."""
        return -self.balances.get(RECEIVABLE, 0)

    @property
    def available_micros(self) -> int | None:
        """What the account may still spend; None: no limit."""
        limit = 0 if self.mode == PREPAID else self.credit_limit_cents
        if limit is None:
            return None
        here = self.wallet_micros - self.invoiced_micros - self.pending_micros
        return cents_to_micros(limit) + here

    @property
    def is_funded(self) -> bool:
        available = self.available_micros
        return available is None or available > 0


async def funds_of(session: AsyncSession, account_id: str) -> Funds:
    mode, limit = (await session.execute(_TERMS, {"account": account_id})).one()
    pending = await session.scalar(_PENDING, {"account": account_id})
    return Funds(mode, limit, await balances_of(session, account_id), int(pending or 0))


async def update_funded(session: AsyncSession, account_id: str, changes: Changes) -> bool:
    """
    Open or close the gate, so that edges receive the change. Returns whether the account is funded.

    The caller holds the account's ledger, so the later of two concurrent checks sees the result of the earlier one.
    """
    funded = (await funds_of(session, account_id)).is_funded
    moved = await session.scalar(_SET, {"account": account_id, "funded": funded})
    if moved is not None:
        changes.touch(ObjectType.ACCOUNT, account_id)
    return funded
