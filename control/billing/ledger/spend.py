"""
Posts the charges of ingest to the ledger: one entry per account and batch, with the property's share beside the
operator's.

Charges are deleted from their table in the transaction that posts them. So they are never posted twice, and a batch
that failed is still there for the next run.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from control.billing.ledger import entries
from control.billing.ledger.entries import EntryKind
from control.billing.ledger.post import lock_ledger, post

ROWS_AT_ONCE = 5000
DAY = "day"
"""The unit of a flat rate."""

_WAITING = text(
    "select account_id, max(id) from (select id, account_id from charges "
    "where account_id <> all(cast(:without as varchar[])) order by id limit :most) w "
    "group by account_id order by account_id"
)
_TAKE = text(
    "delete from charges where id in (select id from charges where account_id = :account "
    "and id <= :last order by id limit :most) "
    "returning id, campaign_id, property_id, kind, units, micros"
)
_SHARES = text(
    "select p.id, coalesce(cast(p.payout ->> 'share_percent' as integer), 0), "
    "coalesce(a.share_remainder, 0) from properties p left join ledger_accounts a "
    "on a.account_id = p.account_id and a.kind = 'payable' and a.property_id = p.id "
    "where p.account_id = :account and p.id = any(:ids)"
)
_KEEP_REMAINDERS = text(
    "update ledger_accounts a set share_remainder = n.remainder "
    "from unnest(cast(:ids as varchar[]), cast(:remainders as smallint[])) as n(id, remainder) "
    "where a.account_id = :account and a.kind = 'payable' and a.property_id = n.id"
)
_OPEN_PAYABLES = text(
    "insert into ledger_accounts (id, account_id, kind, property_id) "
    "select cast(gen_random_uuid() as varchar), :account, 'payable', id from unnest(cast(:ids as varchar[])) id "
    "order by id on conflict do nothing"
)
_ADD_MONTHS = text(
    "insert into spend_months (account_id, month, campaign_id, property_id, kind, units, micros) "
    "select :account, cast(:month as date), n.* from unnest(cast(:campaigns as varchar[]), "
    "cast(:properties as varchar[]), cast(:kinds as varchar[]), cast(:units as bigint[]), "
    "cast(:micros as bigint[])) n order by 3, 4, 5 "
    "on conflict (account_id, month, campaign_id, property_id, kind) do update set "
    "units = spend_months.units + excluded.units, micros = spend_months.micros + excluded.micros"
)


@dataclass(frozen=True, slots=True)
class Charged:
    id: int
    campaign_id: str
    property_id: str
    kind: str
    units: int
    micros: int


async def list_waiting(session: AsyncSession, without: Sequence[str] = ()) -> list[tuple[str, int]]:
    """
    Accounts among the oldest charges, each with the id of its last charge among them. Charges of the accounts *without*
    are not looked at.
    """
    rows = await session.execute(_WAITING, {"most": ROWS_AT_ONCE, "without": list(without)})
    return [(account_id, last) for account_id, last in rows]


async def post_charges(session: AsyncSession, account_id: str, last: int, now: datetime) -> int:
    """Post the account's charges up to the id *last*, at most `ROWS_AT_ONCE`. Returns their number."""
    at = await lock_ledger(session, account_id, now)
    wanted = {"account": account_id, "last": last, "most": ROWS_AT_ONCE}
    taken = [Charged(*row) for row in await session.execute(_TAKE, wanted)]
    days = [one for one in taken if one.kind == DAY]
    events = [one for one in taken if one.kind != DAY]
    for kind, some in ((EntryKind.SPEND, events), (EntryKind.FLAT_RATE, days)):
        if some:
            await _post(session, account_id, kind, some, now)
    if taken:
        await _add_months(session, account_id, at, taken)
    return len(taken)


async def _post(
    session: AsyncSession,
    account_id: str,
    kind: EntryKind,
    taken: Sequence[Charged],
    now: datetime,
) -> None:
    spent: dict[str, int] = defaultdict(int)
    for one in taken:
        spent[one.property_id] += one.micros
    shares = await _share_out(session, account_id, spent)
    ids = [one.id for one in taken]
    entry = entries.spend(kind, f"{kind}:{min(ids)}-{max(ids)}", spent, shares)
    if entry is not None:
        await post(session, account_id, entry, now)


async def _share_out(
    session: AsyncSession, account_id: str, spent: dict[str, int]
) -> dict[str, int]:
    """Micros by property that has a share; fractions are stored for the next time."""
    rows = await session.execute(_SHARES, {"account": account_id, "ids": sorted(spent)})
    cut = {
        property_id: entries.share(spent[property_id], percent, remainder)
        for property_id, percent, remainder in rows
        if percent
    }
    if cut:
        ids = list(cut)
        await session.execute(_OPEN_PAYABLES, {"account": account_id, "ids": ids})
        remainders = [remainder for _, remainder in cut.values()]
        await session.execute(
            _KEEP_REMAINDERS, {"account": account_id, "ids": ids, "remainders": remainders}
        )
    return {property_id: micros for property_id, (micros, _) in cut.items()}


async def _add_months(
    session: AsyncSession, account_id: str, at: datetime, taken: Iterable[Charged]
) -> None:
    sums: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for one in taken:
        total = sums[one.campaign_id, one.property_id, one.kind]
        total[0] += one.units
        total[1] += one.micros
    await session.execute(
        _ADD_MONTHS,
        {
            "account": account_id,
            "month": at.date().replace(day=1),
            "campaigns": [key[0] for key in sums],
            "properties": [key[1] for key in sums],
            "kinds": [key[2] for key in sums],
            "units": [total[0] for total in sums.values()],
            "micros": [total[1] for total in sums.values()],
        },
    )
