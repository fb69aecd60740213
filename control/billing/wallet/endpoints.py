"""The wallet endpoints."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from common.values.ids import new_id
from control.api.call import Call, Endpoint, PreparedInput, PreTransactionCall, Reply
from control.api.listing import before_id, page_of
from control.billing.ledger.available_funds import funds_of
from control.billing.wallet import operations, queries, rows
from control.billing.wallet.rules import CANCEL, TRANSITIONS
from control.billing.wallet.schemas import TopUpCreate, TopUpStatus
from control.inventory.properties.queries import get_currency
from control.ports.payments import PaymentRequest, PaymentStarted
from control.storage.tables.accounts import AccountRow
from control.storage.tables.money import TopUpRow


async def get(call: Call) -> Reply:
    funds = await funds_of(call.session, call.principal.account_id)
    return Reply(rows.wallet(funds, await get_currency(call.session, call.principal.account_id)))


async def list_entries(call: Call) -> Reply:
    account_id = call.principal.account_id
    found = await queries.list_entries(call.session, account_id, call.query, before_id(call))
    return Reply(page_of(call, found, rows.entry))


@asynccontextmanager
async def start_payment(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    """Call the payment provider before the transaction, because it may take long."""
    body: TopUpCreate = call.body
    account_id = call.principal.account_id
    async with call.control.database.tenant(account_id) as session:
        account = await session.get_one(AccountRow, account_id)
    payment = PaymentRequest(
        new_id(), account_id, account.name, body.amount_cents, account.currency
    )
    yield PreparedInput((payment, await call.control.payments.start(payment)))


async def create_top_up(call: Call) -> Reply:
    payment: PaymentRequest
    started: PaymentStarted
    payment, started = call.prepared
    row = TopUpRow(
        id=payment.top_up_id,
        account_id=payment.account_id,
        amount_cents=payment.amount_cents,
        status=TopUpStatus.PENDING.value,
        provider=started.provider,
        provider_reference=started.reference,
        instructions=started.instructions,
        instructions_parts=started.instructions.to_json(),
        requested_by=call.principal.user_id,
        created_at=call.now,
    )
    call.session.add(row)
    return Reply(
        rows.top_up(row, payment.currency),
        status=201,
        headers={"Location": f"/v1/wallet/top-ups/{row.id}"},
    )


async def list_top_ups(call: Call) -> Reply:
    currency = await get_currency(call.session, call.principal.account_id)
    found = await queries.list_top_ups(
        call.session, call.principal.account_id, call.query, before_id(call)
    )
    return Reply(page_of(call, found, lambda row: rows.top_up(row, currency)))


async def get_top_up(call: Call) -> Reply:
    found = await queries.get_top_up(call.session, call.principal.account_id, call.path["id"])
    return Reply(rows.top_up(found, await get_currency(call.session, call.principal.account_id)))


async def cancel_top_up(call: Call) -> Reply:
    found = await queries.get_top_up(call.session, call.principal.account_id, call.path["id"])
    call.object_id = found.id
    TRANSITIONS.after(found.status, CANCEL)
    await queries.cancel_top_up(call.session, found, call.now)
    return Reply(rows.top_up(found, await get_currency(call.session, call.principal.account_id)))


ENDPOINTS = (
    Endpoint(operations.GET, get),
    Endpoint(operations.LIST_ENTRIES, list_entries),
    Endpoint(operations.CREATE_TOP_UP, create_top_up, prepare=start_payment),
    Endpoint(operations.LIST_TOP_UPS, list_top_ups),
    Endpoint(operations.GET_TOP_UP, get_top_up),
    Endpoint(operations.CANCEL_TOP_UP, cancel_top_up),
)
