"""Checks from the rows of the ledger whether its sums are right."""

from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

MAX_IMBALANCES = 100
"""Largest number of imbalances that one check reports."""

_DRIFT = text("""
    select 'balance', a.id, a.balance_micros - coalesce(sum(p.micros), 0)
    from ledger_accounts a left join ledger_postings p on p.ledger_account_id = a.id
    group by a.id having a.balance_micros <> coalesce(sum(p.micros), 0)
    union all
    select 'entry', e.id, coalesce(sum(p.micros), 0)
    from ledger_entries e left join ledger_postings p on p.entry_id = e.id
    group by e.id having count(p.micros) < 2 or sum(p.micros) <> 0
    union all
    select 'campaign', s.campaign_id, s.spent_micros - coalesce(m.micros, 0) - coalesce(c.micros, 0)
    from campaign_spend s
    left join (select campaign_id, sum(micros) as micros from spend_months group by 1) m
        on m.campaign_id = s.campaign_id
    left join (select campaign_id, sum(micros) as micros from charges group by 1) c
        on c.campaign_id = s.campaign_id
    where s.spent_micros <> coalesce(m.micros, 0) + coalesce(c.micros, 0)
    and s.account_id not in (select id from accounts where is_sample)
    limit :most
""")


@dataclass(frozen=True, slots=True)
class Imbalance:
    """
    ``what``: a ledger account's ``balance`` is not the sum of its postings; an ``entry``'s postings do not sum to zero;
    a ``campaign``'s spend is not the sum of posted and waiting charges, except in a sample account, whose events are
    simulated and not billed. ``off_micros``: the difference.
    """

    what: str
    object_id: str
    off_micros: int


async def find_imbalances(session: AsyncSession) -> list[Imbalance]:
    """Imbalances of all accounts; empty if the ledger is right. Runs as the service and reads the whole ledger."""
    rows = await session.execute(_DRIFT, {"most": MAX_IMBALANCES})
    return [Imbalance(what, object_id, int(off)) for what, object_id, off in rows]
