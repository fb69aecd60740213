"""The billing endpoints: reading, and an owner's choice to renew or cancel. The operator does everything else."""

from datetime import timedelta

from control.api.call import Call, Endpoint, Reply
from control.api.listing import before_id, page_of
from control.billing.invoicing import operations, queries, rows
from control.billing.invoicing.subscriptions import check_has_term
from control.billing.ledger.available_funds import funds_of
from control.storage.tables.accounts import AccountRow


async def get(call: Call) -> Reply:
    account_id = call.principal.account_id
    account = await call.session.get_one(AccountRow, account_id)
    funds = await funds_of(call.session, account_id)
    owed = await queries.owed_cents(call.session, account_id)
    grace = timedelta(days=call.control.settings.subscription_grace_days)
    return Reply(rows.billing(account, funds, owed, call.now, grace=grace))


async def cancel(call: Call) -> Reply:
    """Stop renewal: the subscription ends with the current term. Nothing is refunded."""
    return await _set_renews(call, renews=False)


async def renew(call: Call) -> Reply:
    """Turn renewal on. If the term is already over, the scheduler begins the next one at its next run."""
    return await _set_renews(call, renews=True)


async def _set_renews(call: Call, *, renews: bool) -> Reply:
    account_id = call.principal.account_id
    account = await call.session.get_one(AccountRow, account_id, with_for_update=True)
    check_has_term(account)
    account.subscription_renews = renews
    call.object_id = account_id
    grace = timedelta(days=call.control.settings.subscription_grace_days)
    return Reply(rows.subscription(account, call.now, grace=grace))


async def list_invoices(call: Call) -> Reply:
    found = await queries.list_invoices(
        call.session, call.principal.account_id, call.query, before_id(call)
    )
    return Reply(page_of(call, found, rows.invoice))


async def get_invoice(call: Call) -> Reply:
    found = await queries.get_invoice(call.session, call.principal.account_id, call.path["id"])
    return Reply(rows.invoice_with_lines(found, await queries.lines_of(call.session, found)))


ENDPOINTS = (
    Endpoint(operations.GET, get),
    Endpoint(operations.CANCEL, cancel),
    Endpoint(operations.RENEW, renew),
    Endpoint(operations.LIST_INVOICES, list_invoices),
    Endpoint(operations.GET_INVOICE, get_invoice),
)
