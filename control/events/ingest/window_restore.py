"""
Restores the window of a newly assigned partition: recent client activity, from the stored events.

Clients of other partitions are included, because stored events do not name their partition. They do no harm and expire
two minutes later.
"""

from datetime import timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.ivt.windows import MINUTE_MS, SERVED_BY_SERVERS, Limits, Window
from common.values.clock import from_ms
from common.values.enums import EventKind, Reason, Source, Surface

_LOOK_BACK_MS = 2 * MINUTE_MS
_NEGLIGIBLE = 100
"""A client below this fraction (1/100) of its rate limit is not restored: there are many clients in a minute."""
_CLOCKS = timedelta(days=1)
_SERVERS = ", ".join(f"'{one}'" for one in sorted(SERVED_BY_SERVERS))
_MS = "cast(extract(epoch from at) * 1000 as bigint)"
_LATELY = (
    "from events where at > :since and at <= :through and stored_day >= :first and client is not null "
    f"and not is_test and source <> '{Source.PREVIEW}'"
)
_READERS = f"{_LATELY} and surface not in ({_SERVERS})"
_CLICKS = text(
    f"select encode(client, 'hex'), cast(ad_id as varchar), max({_MS}) {_READERS} and kind = '{EventKind.CLICK}' "
    f"and (valid or reason = '{Reason.DUPLICATE_CLICK}') group by client, ad_id"
)
_SHOWN = text(
    f"select encode(client, 'hex'), cast(slot_id as varchar), cast(ad_id as varchar), max({_MS}) {_READERS} "
    f"and kind = '{EventKind.IMPRESSION}' and (valid or reason = '{Reason.DUPLICATE_IMPRESSION}') "
    "group by client, slot_id, ad_id"
)
_COUNTS = text(
    f"select encode(client, 'hex'), cast(slot_id as varchar), kind, {_MS} / {MINUTE_MS} as minute, count(*) "
    f"{_READERS} and valid and kind in ('{EventKind.IMPRESSION}', '{EventKind.CLICK}') "
    "group by client, slot_id, kind, minute having count(*) >= case kind "
    f"when '{EventKind.CLICK}' then cast(:clicks as bigint) else cast(:impressions as bigint) end order by minute"
)
_MAIL = text(
    f"select encode(client, 'hex'), {_MS} {_LATELY} and surface = '{Surface.EMAIL}' and kind = '{EventKind.CLICK}' "
    f"and (valid or reason = '{Reason.MAIL_LINK_SCANNER}') order by at, id"
)


async def recall(session: AsyncSession, through_ms: int, limits: Limits) -> Window:
    """The window as it was after the event of *through_ms*, the latest stored one."""
    since = from_ms(through_ms - _LOOK_BACK_MS)
    times = {"since": since, "through": from_ms(through_ms), "first": (since - _CLOCKS).date()}
    least = {
        "clicks": max(1, limits.max_clicks_per_minute // _NEGLIGIBLE),
        "impressions": max(1, limits.max_impressions_per_minute // _NEGLIGIBLE),
    }
    window = Window()
    for client, ad_id, at_ms in await session.execute(_CLICKS, times):
        window.clicks[client, ad_id] = at_ms
    if limits.impression_dedup_window_ms:
        for client, slot_id, ad_id, at_ms in await session.execute(_SHOWN, times):
            window.shown[client, slot_id, ad_id] = at_ms
    for client, slot_id, kind, minute, count in await session.execute(_COUNTS, times | least):
        window.counts[client, slot_id, EventKind(kind)] = (minute, count)
    for client, at_ms in await session.execute(_MAIL, times):
        window.record_mail_click(client, at_ms)
    return window
