"""
The job that learns the weekly traffic curves of slots: it counts completed hours, and computes a slot's curve from its
last four weeks. Repeating it changes nothing.
"""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.pacing.curve import HOUR_MS, HOURS, learned_weights
from common.values.clock import to_ms
from control.api.context import ControlContext
from control.api.job_items import FailedItems

WEEKS = 4
_SETTLE = timedelta(minutes=10)
"""An hour's requests are counted so long after its end: edges report them every few seconds."""
_AGAIN = timedelta(hours=24)
"""Earlier hours that are counted again with each new one, because of late reports."""
_HOUR = timedelta(hours=1)
_SLOTS_AT_ONCE = 200

_NEWEST = text("select max(hour) from slot_hours")
_COUNT = text(
    "insert into slot_hours (slot_id, hour, account_id, requests) "
    "select cast(slot_id as varchar), hour, min(account_id), sum(count) from serve_hourly "
    "where hour >= :since and hour < :until and not is_test "
    "and account_id not in (select id from accounts where is_sample) group by 1, 2 "
    "on conflict (slot_id, hour) do update set requests = excluded.requests "
    "where slot_hours.requests <> excluded.requests"
)
_PURGE = text("delete from slot_hours where hour < :since")
_STALE = text(
    "select h.slot_id, min(h.account_id), min(h.hour), array_agg(cast(extract(epoch from h.hour) as bigint)), "
    "array_agg(h.requests) from slot_hours h where h.slot_id = any(array(select s.slot_id from "
    "(select distinct slot_id from slot_hours where hour >= :since) s left join slot_weeks w using (slot_id) "
    "where (w.learned_at is null or w.learned_at < :until) "
    "and s.slot_id <> all(cast(:without as varchar[])) limit :most)) and h.hour >= :since group by h.slot_id"
)
_PUT = text(
    "insert into slot_weeks (slot_id, account_id, weights, learned_at) values "
    "(:slot, :account, :weights, :until) on conflict (slot_id) do update set "
    "weights = excluded.weights, learned_at = excluded.learned_at"
)
_DROP = text(
    "delete from slot_weeks w where not exists (select from slot_hours h where h.slot_id = w.slot_id)"
)


async def update_traffic_curves(control: ControlContext) -> None:
    """
    Updates all slots with live requests in the last four weeks, once an hour each. A slot that fails keeps its curve
    until the next run.
    """
    until = (control.clock.now() - _SETTLE).replace(minute=0, second=0, microsecond=0)
    since = until - timedelta(weeks=WEEKS)
    async with control.database.service() as session:
        await _count_hours(session, since, until)
    failed = FailedItems()
    while True:
        async with control.database.service() as session:
            if await _learn_some(session, since, until, failed) < _SLOTS_AT_ONCE:
                break
    failed.raise_first()


async def _count_hours(session: AsyncSession, since: datetime, until: datetime) -> None:
    newest: datetime | None = await session.scalar(_NEWEST)
    if newest is not None and newest + _HOUR >= until:
        return
    begin = since if newest is None else max(since, newest - _AGAIN)
    await session.execute(_COUNT, {"since": begin, "until": until})
    await session.execute(_PURGE, {"since": since})
    await session.execute(_DROP)


async def _learn_some(
    session: AsyncSession, since: datetime, until: datetime, failed: FailedItems
) -> int:
    """Returns the number of slots that were due, without those that *failed* before."""
    scope = {"since": since, "until": until, "most": _SLOTS_AT_ONCE, "without": failed.ids}
    slots = (await session.execute(_STALE, scope)).all()
    rows: list[dict[str, Any]] = []
    for slot_id, account_id, first, hours, requests in slots:
        with failed.catching(slot_id):
            weights = _weights(first, until, dict(zip(hours, requests, strict=True)))
            rows.append(
                {"slot": slot_id, "account": account_id, "weights": [*weights], "until": until}
            )
    if rows:
        await session.execute(_PUT, rows)
    return len(slots)


def _weights(first: datetime, until: datetime, requests: dict[int, int]) -> tuple[int, ...]:
    """
    *requests*: by the second at which their hour begins. From the *first* hour on, an hour without requests counts too.
    The newest week weighs four times, the one before it three times, and so on, because sites grow and change.
    """
    came, seen = [0] * HOURS, [0] * HOURS
    last, hour_s = to_ms(until) // HOUR_MS, HOUR_MS // 1000
    for hour in range(to_ms(first) // HOUR_MS, last):
        weight = WEEKS - (last - 1 - hour) // HOURS
        came[hour % HOURS] += weight * requests.get(hour * hour_s, 0)
        seen[hour % HOURS] += weight
    return learned_weights(came, seen)
