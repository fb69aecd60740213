"""Converts the caller's key, property and rate limit to their API form."""

from datetime import datetime

from common.values.enums import PropertyStatus
from common.values.environment import Environment
from common.values.keys import KeyKind
from control.api.key_status import is_rotation_due
from control.foundation.principal import Principal
from control.foundation.rate_limit import RateStatus
from control.identity.me.schemas import MeKey, MeProperty, RateLimitPublic
from control.storage.tables.properties import KeyRow, PropertyRow


def me_key(row: KeyRow, caller: Principal, now: datetime) -> MeKey:
    return MeKey(
        id=row.id,
        kind=KeyKind(row.kind),
        name=row.name,
        last4=row.last4,
        environment=Environment(row.environment),
        created_by=row.created_by,
        creator_is_member=caller.role is not None,
        created_at=row.created_at,
        last_used_at=row.last_used_at,
        expires_at=row.expires_at,
        rotation_due=is_rotation_due(row, now),
    )


def me_property(row: PropertyRow) -> MeProperty:
    return MeProperty(
        id=row.id, name=row.name, domain=row.domain, status=PropertyStatus(row.status)
    )


def rate_limit(rate_status: RateStatus) -> RateLimitPublic:
    rate = rate_status.rate
    return RateLimitPublic(
        calls_per_second=int(rate.count / rate.period_s), burst=rate.burst, left=rate_status.left
    )
