"""Status of an API key, from a row and in SQL: whether it works, and whether it is due for rotation."""

from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import ColumnElement, and_, not_
from sqlmodel import col

from common.values.keys import KeyKind
from control.storage.tables.properties import KeyRow

ROTATE_AFTER = timedelta(days=90)
"""Recommended age at which a secret or integration key is replaced."""


class KeyStatus(StrEnum):
    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"


def status_of(row: KeyRow, now: datetime) -> KeyStatus:
    if row.revoked_at is not None:
        return KeyStatus.REVOKED
    if row.expires_at is not None and row.expires_at <= now:
        return KeyStatus.EXPIRED
    return KeyStatus.ACTIVE


def has_status(status: KeyStatus, now: datetime) -> ColumnElement[bool]:
    """As `status_of`, in SQL."""
    revoked = col(KeyRow.revoked_at).is_not(None)
    expired = and_(col(KeyRow.expires_at).is_not(None), col(KeyRow.expires_at) <= now)
    match status:
        case KeyStatus.REVOKED:
            return revoked
        case KeyStatus.EXPIRED:
            return and_(not_(revoked), expired)
        case KeyStatus.ACTIVE:
            return and_(not_(revoked), not_(expired))


def is_rotation_due(row: KeyRow, now: datetime) -> bool:
    """Whether a working secret or integration key is older than the contract recommends."""
    is_secret = row.kind != KeyKind.PUBLISHABLE
    return (
        is_secret
        and status_of(row, now) is KeyStatus.ACTIVE
        and row.created_at <= now - ROTATE_AFTER
    )


def due_for_rotation(now: datetime) -> ColumnElement[bool]:
    """As `is_rotation_due`, in SQL."""
    return and_(
        col(KeyRow.kind) != KeyKind.PUBLISHABLE.value,
        has_status(KeyStatus.ACTIVE, now),
        col(KeyRow.created_at) <= now - ROTATE_AFTER,
    )
