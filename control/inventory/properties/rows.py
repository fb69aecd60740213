"""Converts a property between its API form and its table row, and creates its shared secrets."""

import secrets
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from common.service.secrets import KeyRing, Purpose
from common.snapshot.model import SecretState
from common.values.enums import PropertyKind, PropertyStatus
from control.inventory.properties.schemas import (
    PayoutTermsPublic,
    PropertyPublic,
    PropertySdkPublic,
    RateLimitsPublic,
    VerificationPublic,
)
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
    return PropertyPublic(
        id=row.id,
        name=row.name,
        kind=PropertyKind(row.kind),
        domain=row.domain,
        bundle_id=row.bundle_id,
        status=PropertyStatus(row.status),
        verification=VerificationPublic(
            method=sent.get("method"),
            token=sent.get("token"),
            checked_at=sent.get("checked_at"),
            last_error=sent.get("last_error"),
        ),
        allowed_origins=row.allowed_origins,
        timezone=row.timezone,
        currency=currency,
        excluded_ip_ranges=row.excluded_ip_ranges,
        consent_policy=row.consent_policy,
        token_ttl_seconds=row.token_ttl_seconds,
        server_rendering=row.server_rendering,
        rate_limits=RateLimitsPublic.model_validate(row.rate_limits),
        blocked_categories=row.blocked_categories,
        blocked_ad_ids=row.blocked_ad_ids,
        payout=PayoutTermsPublic.model_validate(row.payout),
        sdk=PropertySdkPublic.model_validate(row.sdk),
        version=row.version,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
