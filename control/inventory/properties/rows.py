"""Converts a property between its API form and its table row, and creates its shared secrets."""

import secrets
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from common.service.secrets import KeyRing, Purpose
from common.snapshot.model import SecretState
from control.foundation.resource_models import from_row
from control.inventory.properties.schemas import PropertyPublic, VerificationPublic
from control.storage.tables.properties import PropertyRow, PropertySecretRow

_SECRET_BYTES = 32
_MERGED = ("rate_limits", "payout", "sdk")
NO_PAYOUT: Mapping[str, Any] = {"payee": None, "share_percent": 0}
"""Payout terms of a property without a payee."""


def write(row: PropertyRow, values: dict[str, Any]) -> None:
    """Write API fields to columns. Those in `_MERGED` merge field by field; a missing name changes nothing."""
    for name, value in values.items():
        if name in _MERGED:
            sent = value.model_dump(mode="json", include=value.model_fields_set)
            setattr(row, name, getattr(row, name) | sent)
        else:
            setattr(row, name, value.value if isinstance(value, StrEnum) else value)


def first_secret(row: PropertyRow, keys: KeyRing, now: datetime) -> PropertySecretRow:
    """The secret that signs from the property's creation on."""
    return new_secret(row, keys, now, kid=1, state=SecretState.SIGN)


def new_secret(
    row: PropertyRow, keys: KeyRing, now: datetime, *, kid: int, state: SecretState
) -> PropertySecretRow:
    """32 random bytes that sign the property's tokens; sealed, never shown."""
    sealed = keys.seal(
        Purpose.PROPERTY_SECRETS, secrets.token_bytes(_SECRET_BYTES), bound_to=row.id
    )
    return PropertySecretRow(
        property_id=row.id,
        kid=kid,
        account_id=row.account_id,
        sealed=sealed,
        state=state.value,
        created_at=now,
    )


def to_public(row: PropertyRow, currency: str) -> PropertyPublic:
    sent = row.verification if row.verification.get("domain") == row.domain else {}
    verification = {name: sent.get(name) for name in VerificationPublic.model_fields}
    return from_row(PropertyPublic, row, verification=verification, currency=currency)
