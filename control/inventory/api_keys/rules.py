"""The rules of keys, pure: new keys, their lifetime, their scopes, and their status."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from common.contract.permissions import Permission
from common.service.secrets import KeyRing, Purpose
from common.values.enums import PropertyStatus
from common.values.environment import Environment
from common.values.errors import ErrorCode, Refused, invalid
from common.values.ids import new_id
from common.values.keys import KeyKind, KeyText, new_key
from common.values.messages import Message
from control.api.key_status import KeyStatus, status_of
from control.foundation.principal import Principal
from control.inventory.api_keys.schemas import KeyBlock
from control.storage.tables.properties import KeyRow

MAX_ACTIVE = 50
"""Limit of active keys of one kind on one property."""
LONGEST_LIFE = timedelta(days=5 * 366)


def made(row: KeyRow, keys: KeyRing) -> KeyText:
    """
    Give *row*, whose kind and environment are set, an id and a new text. The row stores only the text's hash, and for
    publishable keys also the sealed text, because those are shown again.
    """
    text = new_key(KeyKind(row.kind), Environment(row.environment))
    row.id = new_id()
    row.hash, row.last4 = text.hash, text.last4
    if text.kind is KeyKind.PUBLISHABLE:
        row.sealed_text = keys.seal(Purpose.PUBLISHABLE_KEYS, text.text.encode(), bound_to=row.id)
    return text


def shown_text(row: KeyRow, keys: KeyRing) -> str | None:
    """The text of a publishable key. Raises `SealBroken` if the key file no longer has the sealing key."""
    if row.sealed_text is None:
        return None
    return keys.unseal(Purpose.PUBLISHABLE_KEYS, row.sealed_text, bound_to=row.id).decode()


def revoke(row: KeyRow, now: datetime) -> None:
    """Raises 409 `invalid_state` for a key that is not active."""
    check_active(row, now)
    row.revoked_at = now
    row.version += 1


def check_active(row: KeyRow, now: datetime) -> None:
    """Raises 409 `invalid_state` for a revoked or expired key."""
    status = status_of(row, now)
    if status is not KeyStatus.ACTIVE:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message(
                "The key is already {status}. Create a new key if you need one.",
                status=status,
            ),
            param="status",
        )


def check_expiry(expires_at: datetime | None, now: datetime) -> None:
    """Raises 422 if *expires_at* is not in the future or too far ahead."""
    if expires_at is None or now < expires_at <= now + LONGEST_LIFE:
        return
    raise invalid(
        "expires_at",
        "range",
        Message("Must be a time in the future, at most five years ahead, or null."),
    )


def check_scopes(scopes: Sequence[str], maker: Principal) -> None:
    """A key acts for its maker. Raises 403 `permission_denied`, naming the scopes that *maker* does not hold."""
    beyond = [scope for scope in scopes if Permission(scope) not in maker.permissions]
    if beyond:
        raise Refused(
            ErrorCode.PERMISSION_DENIED,
            Message(
                "Your role `{role}` lacks {permissions}, so your keys cannot have it. Leave it out, "
                "or ask an owner of the account to create the key.",
                role=str(maker.role),
                permissions=_named(beyond),
            ),
            param="scopes",
        )


def check_room(active_count: int) -> None:
    """Raises 409 `limit_reached` if one more key would be too many."""
    if active_count >= MAX_ACTIVE:
        raise Refused(
            ErrorCode.LIMIT_REACHED,
            Message(
                "The property has {active_count} active keys of this kind, and at most {max_keys} "
                "are allowed. Revoke an unused one (see `last_used_at`).",
                active_count=active_count,
                max_keys=MAX_ACTIVE,
            ),
            param="property_id",
        )


@dataclass(frozen=True, slots=True)
class PropertyReadiness:
    """The facts about a property and its account that decide whether edges serve its live keys."""

    status: str
    address_verified: bool
    """Whether the account's address is verified."""


def blocked_by(row: KeyRow, readiness: PropertyReadiness) -> KeyBlock | None:
    """Why edges would serve nothing to this SDK key, whatever its own status. None if they would serve."""
    if row.environment == Environment.TEST:
        return None
    if not readiness.address_verified:
        return KeyBlock.ADDRESS_UNVERIFIED
    match PropertyStatus(readiness.status):
        case PropertyStatus.VERIFIED:
            return None
        case PropertyStatus.UNVERIFIED:
            return KeyBlock.PROPERTY_UNVERIFIED
        case PropertyStatus.SUSPENDED:
            return KeyBlock.PROPERTY_SUSPENDED


def _named(scopes: Sequence[str]) -> str:
    return ", ".join(f"`{scope}`" for scope in scopes)
