"""The payout endpoints: the account requests a payout, the operator approves and pays it."""

from common.values.money import micros_to_cents
from control.api.call import Call, Endpoint, Reply
from control.api.listing import before_id, page_of
from control.billing.payouts import operations, queries
from control.billing.payouts.request import request_payout
from control.billing.payouts.schemas import EarningsPublic, PayoutCreate, PayoutPublic
from control.foundation.resource_models import from_row
from control.inventory.properties.queries import get_currency, get_property
from control.storage.tables.ledger import LedgerAccountRow
from control.storage.tables.money import PayoutRow


async def create(call: Call) -> Reply:
    body: PayoutCreate = call.body
    site = await get_property(call.session, call.principal, body.property_id)
    user_id = call.principal.user_id
    row = await request_payout(call.session, site, body.amount_cents, user_id=user_id, now=call.now)
    shown = _payout(row, await get_currency(call.session, call.principal.account_id))
    return Reply(shown, status=201, headers={"Location": f"/v1/payouts/{row.id}"})


async def list_(call: Call) -> Reply:
    currency = await get_currency(call.session, call.principal.account_id)
    found = await queries.list_payouts(
        call.session, call.principal.account_id, call.query, before_id(call)
    )
    return Reply(page_of(call, found, lambda row: _payout(row, currency)))


async def get(call: Call) -> Reply:
    found = await queries.get_payout(call.session, call.principal.account_id, call.path["id"])
    return Reply(_payout(found, await get_currency(call.session, call.principal.account_id)))


async def list_earnings(call: Call) -> Reply:
    currency = await get_currency(call.session, call.principal.account_id)
    found = await queries.list_payables(
        call.session, call.principal.account_id, call.query, before_id(call)
    )
    return Reply(page_of(call, found, lambda row: _earnings(row, currency)))


ENDPOINTS = (
    Endpoint(operations.CREATE, create),
    Endpoint(operations.LIST, list_),
    Endpoint(operations.GET, get),
    Endpoint(operations.LIST_EARNINGS, list_earnings),
)


def _payout(row: PayoutRow, currency: str) -> PayoutPublic:
    return from_row(PayoutPublic, row, currency=currency)


def _earnings(row: LedgerAccountRow, currency: str) -> EarningsPublic:
    return EarningsPublic(
        property_id=row.property_id or "",
        payable_micros=row.balance_micros,
        payable_cents=micros_to_cents(row.balance_micros),
        currency=currency,
    )
