"""Database queries for invoices."""

from collections.abc import Sequence

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from control.api.listing import equal_to, get_row, newest_first
from control.billing.invoicing.schemas import InvoiceList, InvoiceStatus
from control.storage.tables.money import InvoiceLineRow, InvoiceRow


async def get_invoice(session: AsyncSession, account_id: str, invoice_id: str) -> InvoiceRow:
    """Returns the account's invoice. Raises 404 `not_found` if there is none."""
    own = select(InvoiceRow).where(col(InvoiceRow.account_id) == account_id)
    return await get_row(session, own, col(InvoiceRow.id), invoice_id)


async def lines_of(session: AsyncSession, invoice: InvoiceRow) -> Sequence[InvoiceLineRow]:
    wanted = select(InvoiceLineRow).where(
        col(InvoiceLineRow.account_id) == invoice.account_id,
        col(InvoiceLineRow.invoice_id) == invoice.id,
    )
    return (await session.scalars(wanted.order_by(col(InvoiceLineRow.position)))).all()


async def list_invoices(
    session: AsyncSession, account_id: str, query: InvoiceList, before_id: str | None
) -> Sequence[InvoiceRow]:
    """Invoices with ids below *before_id*, newest first. Returns one more than the limit if there are more."""
    wanted = wanted_invoices(account_id, query)
    return await newest_first(session, wanted, col(InvoiceRow.id), query.limit, before_id)


def wanted_invoices(account_id: str, query: InvoiceList) -> Select[InvoiceRow]:
    """The list without its order, cursor and limit."""
    return select(InvoiceRow).where(
        col(InvoiceRow.account_id) == account_id, *equal_to(query, InvoiceRow)
    )


async def owed_cents(session: AsyncSession, account_id: str) -> dict[InvoiceStatus, int]:
    """The sum of open and of past due invoices, in cents, by status."""
    wanted = (
        select(col(InvoiceRow.status), func.sum(InvoiceRow.amount_cents))
        .where(
            col(InvoiceRow.account_id) == account_id,
            col(InvoiceRow.status).in_((InvoiceStatus.OPEN.value, InvoiceStatus.PAST_DUE.value)),
        )
        .group_by(col(InvoiceRow.status))
    )
    rows = await session.execute(wanted)
    return {InvoiceStatus(status): int(cents) for status, cents in rows}
