"""Billing over HTTP: to be read; what changes it is an operator's."""

from control.billing import operations, queries, rows
from control.call import Call, Endpoint, Reply
from control.ledger.funds import funds_of
from control.listing import before_id, page_of
from control.tables.accounts import AccountRow


async def get(call: Call) -> Reply:
    account_id = call.principal.account_id
    account = await call.session.get_one(AccountRow, account_id)
    funds = await funds_of(call.session, account_id)
    owed = await queries.owed_cents(call.session, account_id)
    return Reply(rows.billing(account, funds, owed, call.now))


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
    Endpoint(operations.LIST_INVOICES, list_invoices),
    Endpoint(operations.GET_INVOICE, get_invoice),
)
