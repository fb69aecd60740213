"""A key's rules, pure: new ones, their replacement by rotation, and what state one is in."""

from datetime import datetime

from common.environment import Environment
from common.errors import ErrorCode, Refused
from common.ids import new_id
from common.keys import KeyKind, KeyText, new_key
from common.secrets import KeyRing, Purpose
from control.keys.schemas import KeyStatus
from control.tables.properties import KeyRow


def made(row: KeyRow, keys: KeyRing) -> KeyText:
    """
    Give *row*, whose kind and environment are set, an id and a fresh text. Only its hash is kept, and the sealed
    text of publishable keys, which are shown again.
    """
    text = new_key(KeyKind(row.kind), Environment(row.environment))
    row.id = new_id()
    row.hash, row.last4 = text.hash, text.last4
    if text.kind is KeyKind.PUBLISHABLE:
        row.sealed_text = keys.seal(Purpose.PUBLISHABLE_KEYS, text.text.encode(), bound_to=row.id)
    return text


def shown_text(row: KeyRow, keys: KeyRing) -> str | None:
    """The text of a publishable key. Raises `SealBroken` where the key file lost what sealed it."""
    if row.sealed_text is None:
        return None
    return keys.unseal(Purpose.PUBLISHABLE_KEYS, row.sealed_text, bound_to=row.id).decode()


def status_of(row: KeyRow, now: datetime) -> KeyStatus:
    if row.revoked_at is not None:
        return KeyStatus.REVOKED
    if row.expires_at is not None and row.expires_at <= now:
        return KeyStatus.EXPIRED
    return KeyStatus.ACTIVE


def revoke(row: KeyRow, now: datetime) -> None:
    """Raises 409 `invalid_state` for a key that is not active."""
    status = status_of(row, now)
    if status is not KeyStatus.ACTIVE:
        raise Refused(
            ErrorCode.INVALID_STATE,
            f"The key is {status} already. Create a new one where a key is needed.",
            param="status",
        )
    row.revoked_at = now
