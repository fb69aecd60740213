"""Converts the caller's key and rate limit to their API form."""

from datetime import datetime

from control.api.key_status import is_rotation_due
from control.foundation.principal import Principal
from control.foundation.rate_limit import RateStatus
from control.foundation.resource_models import from_row
from control.identity.me.schemas import MeKey, RateLimitPublic
from control.storage.tables.properties import KeyRow


def me_key(row: KeyRow, caller: Principal, now: datetime) -> MeKey:
    return from_row(
        MeKey,
        row,
        creator_is_member=caller.role is not None,
        rotation_due=is_rotation_due(row, now),
    )


def rate_limit(rate_status: RateStatus) -> RateLimitPublic:
    rate = rate_status.rate
    return RateLimitPublic(
        calls_per_second=int(rate.count / rate.period_s), burst=rate.burst, left=rate_status.left
    )
