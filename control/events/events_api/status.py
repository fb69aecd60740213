"""The summary of a property: its last events, their counts, and how fresh the data is."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.values.clock import to_ms
from common.values.enums import AccountState, Attribution, EventKind, PropertyStatus
from common.values.environment import Environment
from common.values.errors import invalid
from common.values.keys import KeyKind
from common.values.messages import Message
from control.api.call import Call
from control.events.events_api.schemas import (
    ConversionCounts,
    Counts,
    SnapshotStatus,
    StatusKey,
    StatusPublic,
    StatusQuery,
)
from control.inventory.properties.queries import get_property, list_properties
from control.inventory.properties.schemas import PropertyList
from control.storage.tables.accounts import AccountRow
from control.storage.tables.properties import KeyRow, PropertyRow

_LAST = text(
    "select kind, (select h.last_at from event_hourly h where h.property_id = :property "
    "and h.is_test = :is_test and h.kind = k.kind and h.reason like 'ok%' "
    "order by h.hour desc, h.last_at desc limit 1) "
    "from unnest(cast(:kinds as varchar[])) as k(kind)"
)
_COUNTS = text(
    "select kind, reason like 'ok%' or reason = 'retracted', sum(count) from event_hourly "
    "where property_id = :property "
    "and is_test = :is_test and kind = any(:kinds) and hour >= :since group by 1, 2"
)
_CONVERSIONS = text(
    "select attribution as what, sum(count) from event_hourly where property_id = :property and is_test = :is_test "
    "and kind = 'conversion' and hour >= :since and (reason like 'ok%' or reason = 'retracted') group by 1 "
    "union all select state, count(*) from conversions where property_id = cast(:property as uuid) "
    "and is_test = :is_test and heard_at >= :since and state in ('held', 'unattributed', 'repeated') group by 1"
)
_FILLS = text(
    "select sum(count) filter (where outcome = 'fill'), sum(count) from serve_hourly "
    "where property_id = :property and is_test = :is_test and hour >= :since"
)
_FRESHNESS = text(
    "select (select version from snapshot_head), snapshot_made_at(), events_through_ms(:is_test)"
)


async def read_status(call: Call) -> StatusPublic:
    """Reads what `GET /v1/integration/status` returns. Counts are of this hour and the 23 before it."""
    query: StatusQuery = call.query
    principal = call.principal
    row = await _property(call, query.property_id)
    environment = principal.environment or query.environment or Environment.LIVE
    scope = {"property": row.id, "is_test": environment.is_test}
    since = call.now.replace(minute=0, second=0, microsecond=0) - timedelta(hours=23)
    last = await _last(call.session, scope)
    account = await call.session.get_one(AccountRow, principal.account_id)
    version, made_at, through_ms = (
        await call.session.execute(_FRESHNESS, {"is_test": environment.is_test})
    ).one()
    return StatusPublic(
        property_id=row.id,
        environment=environment,
        key=await _key(call),
        verified=row.status == PropertyStatus.VERIFIED,
        account_status=AccountState(account.state),
        last_impression_at=last[EventKind.IMPRESSION],
        last_click_at=last[EventKind.CLICK],
        last_conversion_at=last[EventKind.CONVERSION],
        counts_24h=await _counts(call.session, scope, since),
        conversions_24h=await _conversions(call.session, scope, since),
        fill_rate_24h=await _fill_rate(call.session, scope, since),
        snapshot=SnapshotStatus(version=version, age_seconds=_age_s(call.now, made_at)),
        events_lag_seconds=_lag_s(call.now, through_ms),
    )


async def _property(call: Call, requested: str | None) -> PropertyRow:
    """The key's own property, the named one, or the account's only one."""
    wanted = requested or call.principal.property_id
    if wanted is not None:
        return await get_property(call.session, call.principal, wanted)
    found = await list_properties(call.session, call.principal, PropertyList(limit=1), None)
    if len(found) != 1:
        raise invalid(
            "property_id", "required", Message("Use the id of one of the account's properties.")
        )
    return found[0]


async def _key(call: Call) -> StatusKey | None:
    if call.principal.key_id is None:
        return None
    row = await call.session.get_one(KeyRow, call.principal.key_id)
    return StatusKey(id=row.id, kind=KeyKind(row.kind), last4=row.last4)


async def _last(session: AsyncSession, scope: dict[str, Any]) -> dict[str, datetime | None]:
    rows = await session.execute(_LAST, {**scope, "kinds": list(EventKind)})
    return {row[0]: row[1] for row in rows}


async def _counts(session: AsyncSession, scope: dict[str, Any], since: datetime) -> Counts:
    rows = await session.execute(_COUNTS, {**scope, "kinds": list(EventKind), "since": since})
    sums = {(row[0], row[1]): int(row[2]) for row in rows}
    return Counts(
        impressions=sums.get((EventKind.IMPRESSION, True), 0),
        clicks=sums.get((EventKind.CLICK, True), 0),
        conversions=sums.get((EventKind.CONVERSION, True), 0),
        invalid=sum(count for (_, valid), count in sums.items() if not valid),
    )


async def _conversions(
    session: AsyncSession, scope: dict[str, Any], since: datetime
) -> ConversionCounts:
    rows = await session.execute(_CONVERSIONS, {**scope, "since": since})
    found = {row[0]: int(row[1]) for row in rows}
    return ConversionCounts(
        click_through=found.get(Attribution.CLICK_THROUGH, 0),
        view_through=found.get(Attribution.VIEW_THROUGH, 0),
        in_session=found.get(Attribution.IN_SESSION, 0),
        waiting=found.get("held", 0),
        unattributed=found.get("unattributed", 0),
        repeated=found.get("repeated", 0),
    )


async def _fill_rate(session: AsyncSession, scope: dict[str, Any], since: datetime) -> float | None:
    fills, requests = (await session.execute(_FILLS, {**scope, "since": since})).one()
    return round(int(fills or 0) / int(requests), 4) if requests else None


def _age_s(now: datetime, made_at: datetime | None) -> float | None:
    return None if made_at is None else max(0.0, round((now - made_at).total_seconds(), 3))


def _lag_s(now: datetime, through_ms: int | None) -> float | None:
    return None if through_ms is None else max(0.0, round((to_ms(now) - through_ms) / 1000, 3))
