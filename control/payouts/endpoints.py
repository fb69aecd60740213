"""Payouts over HTTP: asked for by the account, approved and paid by the operator."""

from common.ids import new_id
from control.call import Call, Endpoint, Reply
from control.ledger import entries
from control.ledger.entries import payable
from control.ledger.post import balances_of, hold, post
from control.listing import before_id, page_of
from control.payouts import operations, queries, rows, rules
from control.payouts.schemas import PayoutCreate, PayoutStatus
from control.properties.queries import get_property
from control.tables.accounts import AccountRow
from control.tables.money import PayoutRow


async def create(call: Call) -> Reply:
    """The balance is read while the ledger is held: two payouts at once cannot both have the same money."""
    body: PayoutCreate = call.body
    account_id = call.principal.account_id
    site = await get_property(call.session, call.principal, body.property_id)
    payee = rules.payee_of(site.payout)
    await hold(call.session, account_id, call.now)
    balances = await balances_of(call.session, account_id)
    cents = rules.amount_of(body.amount_cents, balances.get(payable(site.id), 0))
    row = PayoutRow(
        id=new_id(),
        account_id=account_id,
        property_id=site.id,
        payee=payee,
        amount_cents=cents,
        status=PayoutStatus.REQUESTED.value,
        requested_by=call.principal.user_id,
        created_at=call.now,
    )
    call.session.add(row)
    actor = f"user:{call.principal.user_id}"
    await post(call.session, account_id, entries.payout(row.id, site.id, cents, actor), call.now)
    shown = rows.payout(row, await _currency(call))
    return Reply(shown, status=201, headers={"Location": f"/v1/payouts/{row.id}"})


async def list_(call: Call) -> Reply:
    currency = await _currency(call)
    found = await queries.list_payouts(
        call.session, call.principal.account_id, call.query, before_id(call)
    )
    return Reply(page_of(call, found, lambda row: rows.payout(row, currency)))


async def get(call: Call) -> Reply:
    found = await queries.get_payout(call.session, call.principal.account_id, call.path["id"])
    return Reply(rows.payout(found, await _currency(call)))


async def list_earnings(call: Call) -> Reply:
    currency = await _currency(call)
    found = await queries.list_payables(
        call.session, call.principal.account_id, call.query, before_id(call)
    )
    return Reply(page_of(call, found, lambda row: rows.earnings(row, currency)))


ENDPOINTS = (
    Endpoint(operations.CREATE, create),
    Endpoint(operations.LIST, list_),
    Endpoint(operations.GET, get),
    Endpoint(operations.LIST_EARNINGS, list_earnings),
)


async def _currency(call: Call) -> str:
    account = await call.session.get_one(AccountRow, call.principal.account_id)
    return account.currency
