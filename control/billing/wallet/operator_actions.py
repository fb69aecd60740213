"""The operator's actions on wallets: confirm and fail top-ups, adjust, refund, set terms."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from common.values.ids import is_uuid
from common.values.money import cents_to_micros, micros_to_cents
from control.api.operator_action import ActionRefused, NotFound, OperatorAction
from control.billing.ledger import entries
from control.billing.ledger.available_funds import funds_of, update_funded
from control.billing.ledger.entries import LedgerEntry
from control.billing.ledger.post import is_posted, lock_ledger, post
from control.billing.wallet import rows
from control.billing.wallet.rules import CONFIRM, FAIL, TRANSITIONS
from control.billing.wallet.schemas import BillingMode, TopUpStatus
from control.storage.tables.accounts import AccountRow
from control.storage.tables.money import TopUpRow

OPERATOR = "operator"


async def confirm_top_up(act: OperatorAction, top_up_id: str) -> dict[str, Any]:
    """Record that the money has arrived. Repeating it changes nothing. Raises `NotFound`."""
    row = await _get_top_up(act, top_up_id)
    if row.status != TopUpStatus.CONFIRMED:
        row.status = TRANSITIONS.after(row.status, CONFIRM)
        row.settled_at, row.failure_reason = act.control.clock.now(), None
        act.record("top_up.confirm", "top_up", row.id, row.account_id)
        await _post(act, row.account_id, entries.top_up(row.id, row.amount_cents, OPERATOR))
    return await wallet_of(act, row.account_id) | {"top_up_id": row.id, "status": row.status}


async def fail_top_up(act: OperatorAction, top_up_id: str, reason: str) -> dict[str, Any]:
    """Record that no money arrived. Raises `NotFound`, and 409 `invalid_state` for a confirmed top-up."""
    row = await _get_top_up(act, top_up_id)
    row.status = TRANSITIONS.after(row.status, FAIL)
    row.settled_at, row.failure_reason = act.control.clock.now(), reason
    act.record("top_up.fail", "top_up", row.id, row.account_id)
    return {"top_up_id": row.id, "status": row.status, "failure_reason": reason}


async def adjust(
    act: OperatorAction, account_id: str, cents: int, reference: str, memo: str
) -> dict[str, Any]:
    """Move *cents* into the wallet, or out of it if below zero. Repeating a reference makes no second entry."""
    entry = entries.adjustment(reference, cents, OPERATOR)
    return await _move(act, account_id, "wallet.adjust", entry, memo)


async def refund(
    act: OperatorAction, account_id: str, cents: int, reference: str, memo: str
) -> dict[str, Any]:
    """Record a refund of *cents* paid outside. Raises `NotFound`, `ActionRefused` if the wallet holds less."""
    account = await get_account(act.session, account_id)
    await lock_ledger(act.session, account.id, act.control.clock.now())
    entry = entries.refund(reference, cents, OPERATOR)
    funds = await funds_of(act.session, account.id)
    there = funds.wallet_micros - funds.pending_micros
    if there < cents_to_micros(cents) and not await is_posted(act.session, account.id, entry):
        raise ActionRefused(f"The wallet holds {micros_to_cents(there)} cents that were not spent.")
    return await _move(act, account.id, "wallet.refund", entry, memo)


async def set_terms(
    act: OperatorAction, account_id: str, mode: BillingMode, credit_limit_cents: int | None
) -> dict[str, Any]:
    """
    Set how the account pays; *credit_limit_cents* of None: no limit. Raises `NotFound`, `ActionRefused` for a limit of
    a prepaid account.
    """
    if mode is BillingMode.PREPAID and credit_limit_cents is not None:
        raise ActionRefused("A prepaid account has no credit. Leave the credit limit out.")
    account = await get_account(act.session, account_id)
    await lock_ledger(act.session, account.id, act.control.clock.now())
    account.billing_mode, account.credit_limit_cents = mode.value, credit_limit_cents
    await act.session.flush()
    await update_funded(act.session, account.id, act.changes)
    act.record("billing.set_terms", "account", account.id, account.id)
    return await wallet_of(act, account.id)


async def wallet_of(act: OperatorAction, account_id: str) -> dict[str, Any]:
    """The wallet as `GET /v1/wallet` shows it. Raises `NotFound`."""
    account = await get_account(act.session, account_id)
    funds = await funds_of(act.session, account.id)
    shown = rows.wallet(funds, account.currency).model_dump(mode="json")
    return {"account_id": account.id, **shown}


async def get_account(session: AsyncSession, account_id: str) -> AccountRow:
    """Returns the account. Raises `NotFound`."""
    found = await session.get(AccountRow, account_id) if is_uuid(account_id) else None
    if found is None:
        raise NotFound(f"There is no account {account_id!r}.")
    return found


async def _move(
    act: OperatorAction, account_id: str, action: str, entry: LedgerEntry, memo: str
) -> dict[str, Any]:
    account = await get_account(act.session, account_id)
    posted = await _post(
        act,
        account.id,
        LedgerEntry(entry.kind, entry.reference, entry.actor, entry.postings, memo),
    )
    if not posted["repeated"]:
        act.record(action, "ledger_entry", posted["entry_id"], account.id)
    return await wallet_of(act, account.id) | posted


async def _post(act: OperatorAction, account_id: str, entry: LedgerEntry) -> dict[str, Any]:
    await act.session.flush()
    posted = await post(act.session, account_id, entry, act.control.clock.now())
    await update_funded(act.session, account_id, act.changes)
    return {"entry_id": posted.entry_id, "repeated": posted.repeated}


async def _get_top_up(act: OperatorAction, top_up_id: str) -> TopUpRow:
    """Lock the ledger, then the row, in the usual lock order. Raises `NotFound`."""
    row = await act.session.get(TopUpRow, top_up_id) if is_uuid(top_up_id) else None
    if row is None:
        raise NotFound(f"There is no top-up {top_up_id!r}.")
    await lock_ledger(act.session, row.account_id, act.control.clock.now())
    await act.session.refresh(row, with_for_update=True)
    return row
