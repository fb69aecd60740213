"""
Posting: the only way to write to the ledger.

A writer holds the account's ledger until the transaction ends. So the entries of an account have one order, and
balances read under that lock are still true at commit. Lock order everywhere: the ledger, then rows of top-ups,
invoices and payouts, then the account.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.values.errors import ErrorCode, Refused
from common.values.ids import new_id
from common.values.messages import Message
from control.billing.ledger.entries import LedgerAccount, LedgerEntry, LedgerKind

_OPEN = text(
    "insert into ledgers (account_id, last_at) values (:account, :now) on conflict do nothing"
)
_HOLD = text("select last_at from ledgers where account_id = :account for update")
_MOVE_TIME = text("update ledgers set last_at = :at where account_id = :account")
_FIND = text(
    "select e.id, e.at, e.kind, a.kind, a.property_id, p.micros from ledger_entries e "
    "join ledger_postings p on p.entry_id = e.id "
    "join ledger_accounts a on a.id = p.ledger_account_id "
    "where e.account_id = :account and e.reference = :reference"
)
_MAKE_ACCOUNTS = text(
    "insert into ledger_accounts (id, account_id, kind, property_id) "
    "select id, :account, kind, property_id "
    "from unnest(cast(:ids as varchar[]), cast(:kinds as varchar[]), cast(:properties as varchar[])) "
    "as n(id, kind, property_id) order by kind, property_id on conflict do nothing"
)
_ENTRY = text(
    "insert into ledger_entries (id, account_id, at, kind, reference, memo, actor) "
    "values (:id, :account, :at, :kind, :reference, :memo, :actor)"
)
_POSTINGS = text(
    "insert into ledger_postings (entry_id, ledger_account_id, account_id, micros) "
    "select :entry, a.id, :account, n.micros "
    "from unnest(cast(:kinds as varchar[]), cast(:properties as varchar[]), cast(:micros as bigint[])) "
    "as n(kind, property_id, micros) join ledger_accounts a on a.account_id = :account "
    "and a.kind = n.kind and a.property_id is not distinct from n.property_id order by a.id"
)
_BALANCES = text(
    "select kind, property_id, balance_micros from ledger_accounts where account_id = :account"
)


@dataclass(frozen=True, slots=True)
class Posted:
    """``repeated``: the entry existed already, and nothing was done."""

    entry_id: str
    at: datetime
    repeated: bool


async def lock_ledger(session: AsyncSession, account_id: str, now: datetime) -> datetime:
    """
    Lock the account's ledger until the transaction ends. Returns the earliest time that the next entry may have.

    That is *now*, or the time of the last entry if a clock went back or a month was closed.
    """
    await session.execute(_OPEN, {"account": account_id, "now": now})
    last: datetime = (await session.execute(_HOLD, {"account": account_id})).scalar_one()
    return max(now, last)


async def close_time(session: AsyncSession, account_id: str, at: datetime) -> None:
    """Allow no later entry before *at*. The caller holds the ledger."""
    await session.execute(_MOVE_TIME, {"account": account_id, "at": at})


async def post(session: AsyncSession, account_id: str, entry: LedgerEntry, now: datetime) -> Posted:
    """
    Post *entry*, or return the entry if it was posted before.

    Raises 409 `already_exists` if its reference names an entry with other postings. The database rejects an entry that
    does not sum to zero when the transaction commits.
    """
    at = await lock_ledger(session, account_id, now)
    before = await _find_repeated(session, account_id, entry)
    if before is not None:
        return before
    entry_id = new_id()
    await session.execute(
        _ENTRY,
        {
            "id": entry_id,
            "account": account_id,
            "at": at,
            "kind": entry.kind.value,
            "reference": entry.reference,
            "memo": entry.memo,
            "actor": entry.actor,
        },
    )
    accounts = {
        "account": account_id,
        "kinds": [ledger_account.kind.value for ledger_account in entry.postings],
        "properties": [ledger_account.property_id for ledger_account in entry.postings],
    }
    await session.execute(_MAKE_ACCOUNTS, accounts | {"ids": [new_id() for _ in entry.postings]})
    await session.execute(
        _POSTINGS, accounts | {"entry": entry_id, "micros": list(entry.postings.values())}
    )
    await close_time(session, account_id, at)
    return Posted(entry_id, at, repeated=False)


async def is_posted(session: AsyncSession, account_id: str, entry: LedgerEntry) -> bool:
    """Whether *entry* was posted. Raises like `post` if its reference names another entry."""
    return await _find_repeated(session, account_id, entry) is not None


async def balances_of(session: AsyncSession, account_id: str) -> dict[LedgerAccount, int]:
    """Micros by ledger account; an account that never moved is missing."""
    rows = await session.execute(_BALANCES, {"account": account_id})
    return {
        LedgerAccount(LedgerKind(kind), property_id): micros for kind, property_id, micros in rows
    }


async def _find_repeated(
    session: AsyncSession, account_id: str, entry: LedgerEntry
) -> Posted | None:
    found = await session.execute(_FIND, {"account": account_id, "reference": entry.reference})
    rows = found.all()
    if not rows:
        return None
    postings = {
        LedgerAccount(LedgerKind(kind), prop): micros for _, _, _, kind, prop, micros in rows
    }
    entry_id, at, kind = rows[0][:3]
    if kind != entry.kind or postings != dict(entry.postings):
        raise Refused(
            ErrorCode.ALREADY_EXISTS,
            Message(
                "The reference {reference} belongs to another entry. Choose a new one, or repeat "
                "that entry exactly.",
                reference=repr(entry.reference),
            ),
            param="reference",
        )
    return Posted(entry_id, at, repeated=True)
