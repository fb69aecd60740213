"""
Everything that an account keeps after its setup: one JSON object a line, with the table's name in ``type``.

A stream of the database's rows, because an account may have more than one answer of the API can hold. Events are not
part of it: exports of events have them, by range of time. Hashes and sealed secrets are left out.
"""

from collections.abc import AsyncIterator, Mapping

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

_ALL = "*"
_PARTS: Mapping[str, str] = {
    "accounts": _ALL,
    "memberships": _ALL,
    "users": "id, email, name, created_at",
    "invitations": "id, email, role, invited_by, created_at, expires_at",
    "properties": _ALL,
    "slots": _ALL,
    "campaigns": _ALL,
    "ads": _ALL,
    "assets": _ALL,
    "keys": "id, property_id, kind, environment, name, last4, scopes, created_by, created_at, expires_at, revoked_at",
    "invoices": _ALL,
    "invoice_lines": _ALL,
    "ledger_accounts": _ALL,
    "ledger_entries": _ALL,
    "ledger_postings": _ALL,
    "top_ups": _ALL,
    "payouts": _ALL,
    "spend_months": _ALL,
    "flat_rate_days": _ALL,
    "event_hourly": _ALL,
    "serve_hourly": _ALL,
    "report_views": _ALL,
    "audit_log": _ALL,
}
"""Columns by table. Row security limits each table to the account, and users to its members."""
_ONLY: Mapping[str, str] = {"report_views": "owner_id is null"}
"""Conditions by table. A view that only one member sees is in that member's own export."""
_LINES_A_BATCH = 500


async def stream_account(session: AsyncSession) -> AsyncIterator[bytes]:
    """Batches of lines. *session*: of the account, and as of one instant (`Database.snapshot`)."""
    for table, columns in _PARTS.items():
        statement = text(
            f"select json_build_object('type', '{table}', 'row', row_to_json(t))::text"  # noqa: S608 - constants
            f" from (select {columns} from {table} where {_ONLY.get(table, 'true')}) t"
        )
        rows = await session.stream_scalars(statement)
        async for batch in rows.partitions(_LINES_A_BATCH):
            yield "".join(f"{line}\n" for line in batch).encode()
