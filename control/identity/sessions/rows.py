"""Converts table rows of sessions to their API form."""

from control.api.session_limits import Limits
from control.identity.sessions.schemas import SessionPublic
from control.storage.tables.sessions import SessionRow


def session_public(row: SessionRow, limits: Limits, current_id: str | None) -> SessionPublic:
    return SessionPublic(
        id=row.id,
        account_id=row.account_id,
        created_at=row.created_at,
        last_used_at=row.last_used_at,
        expires_at=limits.ends_at(row.created_at, row.last_used_at),
        revoked_at=row.revoked_at,
        origin=row.origin,
        agent=row.agent or None,
        is_current=row.id == current_id,
    )
