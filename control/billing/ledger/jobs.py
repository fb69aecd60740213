"""Ledger jobs: post spend, watch the wallets, and check that the sums are right."""

import structlog
from sqlalchemy import text

from control.api.context import ControlContext
from control.api.job_items import FailedItems
from control.billing.ledger.available_funds import update_funded
from control.billing.ledger.check import find_imbalances
from control.billing.ledger.post import lock_ledger
from control.billing.ledger.spend import ROWS_AT_ONCE, list_waiting, post_charges
from control.outbox.changes import Changes
from control.outbox.outbox import flush

_ACCOUNTS_AT_ONCE = 500
_log: structlog.stdlib.BoundLogger = structlog.get_logger("ledger")

_TURNED = text("""
    select a.id from accounts a
    left join lateral (
        select sum(balance_micros) filter (where kind in ('wallet', 'receivable')) as here
        from ledger_accounts where account_id = a.id
    ) l on true
    left join (select account_id, sum(micros) as micros from charges group by account_id) c
        on c.account_id = a.id
    where (a.billing_mode = 'prepaid' or a.credit_limit_cents is not null or not a.funded)
    and a.funded <> coalesce(
        (case when a.billing_mode = 'prepaid' then 0 else a.credit_limit_cents end) * 10000
        + coalesce(l.here, 0) - coalesce(c.micros, 0) > 0, true)
    order by a.id limit :most
""")


async def post_spend(control: ControlContext) -> None:
    """Post all charges, each account in its own transaction. Accounts that fail keep theirs until the next run."""
    failed = FailedItems()
    while True:
        failures = len(failed.ids)
        async with control.database.service() as session:
            waiting = await list_waiting(session, failed.ids)
        taken = 0
        for account_id, last in waiting:
            with failed.catching(account_id):
                taken += await _post_account(control, account_id, last)
        if taken < ROWS_AT_ONCE and len(failed.ids) == failures:
            failed.raise_first()
            return


async def check_account_funds(control: ControlContext) -> None:
    """Close the gate of accounts that have run out of money, and open it for accounts that have money again."""
    async with control.database.service() as session:
        turned = list(await session.scalars(_TURNED, {"most": _ACCOUNTS_AT_ONCE}))
    failed = FailedItems()
    for account_id in turned:
        with failed.catching(account_id):
            await _check_funds(control, account_id)
    failed.raise_first()


async def check_ledger(control: ControlContext) -> None:
    """Raises `RuntimeError` if a sum is wrong: the job then counts as failed, and an operator investigates."""
    async with control.database.service() as session:
        imbalances = await find_imbalances(session)
    for one in imbalances:
        _log.error("ledger_drift", what=one.what, object=one.object_id, off_micros=one.off_micros)
    if imbalances:
        raise RuntimeError(f"{len(imbalances)} sums of the ledger do not add up")


async def _check_funds(control: ControlContext, account_id: str) -> None:
    async with control.database.service() as session:
        now = control.clock.now()
        await lock_ledger(session, account_id, now)
        changes = Changes()
        await update_funded(session, account_id, changes)
        await flush(session, changes, keys=control.keys, now=now)


async def _post_account(control: ControlContext, account_id: str, last: int) -> int:
    async with control.database.service() as session:
        now = control.clock.now()
        taken = await post_charges(session, account_id, last, now)
        changes = Changes()
        await update_funded(session, account_id, changes)
        await flush(session, changes, keys=control.keys, now=now)
    return taken
