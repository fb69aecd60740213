"""Money as tests seed it: charges as ingest leaves them, posted, and invoices of months gone by."""

from datetime import timedelta

from sqlalchemy import text

from common.values.ids import new_id
from control.api.context import ControlContext
from control.billing.invoicing.invoicing import make_invoice
from control.billing.invoicing.rules import month_of, start_of
from control.billing.ledger import entries
from control.billing.ledger.available_funds import update_funded
from control.billing.ledger.post import post
from control.billing.ledger.spend import list_waiting, post_charges
from control.outbox.changes import Changes
from control.outbox.outbox import flush
from control.storage.tables.money import InvoiceRow

_CHARGE = text(
    "insert into charges (account_id, campaign_id, property_id, kind, units, micros) "
    "values (:account, :campaign, :property, 'impression', 1, :micros)"
)
_SPEND = text(
    "insert into campaign_spend "
    "(campaign_id, account_id, spent_micros, impressions, clicks, conversions, updated_at) "
    "values (:campaign, :account, :micros, 1, 0, 0, now()) on conflict (campaign_id) do update set "
    "spent_micros = campaign_spend.spent_micros + excluded.spent_micros"
)
_SHARE = text(
    "update properties set payout = jsonb_build_object('payee', 'Ana', 'share_percent', 50) "
    "where id = :property"
)


async def charge(
    control: ControlContext, account_id: str, campaign_id: str, property_id: str, micros: int
) -> None:
    """As ingest leaves an impression of *micros*; not posted."""
    values = {"account": account_id, "campaign": campaign_id, "property": property_id}
    async with control.database.service() as session:
        await session.execute(_CHARGE, values | {"micros": micros})
        await session.execute(_SPEND, values | {"micros": micros})


async def earn(
    control: ControlContext, account_id: str, campaign_id: str, property_id: str, micros: int
) -> None:
    """Posted spend of twice *micros* on a property whose payee gets half of it."""
    async with control.database.service() as session:
        await session.execute(_SHARE, {"property": property_id})
    await charge(control, account_id, campaign_id, property_id, 2 * micros)
    async with control.database.service() as session:
        last = dict(await list_waiting(session))[account_id]
        await post_charges(session, account_id, last, control.clock.now())


async def bill_last_month(control: ControlContext, account_id: str, cents: int) -> InvoiceRow:
    """An invoice of last month for *cents*, which were taken out of the wallet in it."""
    now = control.clock.now()
    last_day = start_of(month_of(now)) - timedelta(days=1)
    entry = entries.adjustment(new_id(), -cents, "operator")
    async with control.database.service() as session:
        await post(session, account_id, entry, last_day)
        return await make_invoice(session, account_id, month_of(last_day), now, due_days=14)


async def top_up(control: ControlContext, account_id: str, cents: int) -> None:
    """Money in the wallet, and edges know."""
    now = control.clock.now()
    async with control.database.service() as session:
        await post(session, account_id, entries.top_up(new_id(), cents, "operator"), now)
        changes = Changes()
        await update_funded(session, account_id, changes)
        await flush(session, changes, keys=control.keys, now=now)
