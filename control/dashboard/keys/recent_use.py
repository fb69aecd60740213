"""The recent use of a key, shown before it is revoked."""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import text

from control.dashboard.keys.key_types import SDK, Family
from control.dashboard.page_request import PageRequest

_HOUR = timedelta(hours=1)
_CALLS = text(
    "select coalesce(sum(count), 0) from key_minutes where key_id = :key and minute > :since"
)


@dataclass(frozen=True, slots=True)
class Use:
    """``counted``: edges count calls with keys of this family. ``last_hour``: calls in the last 60 minutes."""

    counted: bool
    last_hour: int


async def use_of(view: PageRequest, family: Family, key_id: str) -> Use:
    """The caller has checked that the viewer may see the key."""
    if family is not SDK:
        return Use(counted=False, last_hour=0)
    asked = {"key": key_id, "since": view.now - _HOUR}
    async with view.control.database.tenant(view.caller.account_id) as session:
        calls = (await session.execute(_CALLS, asked)).scalar_one()
    return Use(counted=True, last_hour=int(calls))
