"""Pending conversions: claims them for a transaction, and stores the result of each."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.values.clock import to_ms
from common.values.enums import PIXEL_CHANNELS, Attribution, ConversionChannel, Reason
from control.events.ingest.column_arrays import columns_of

_CLAIM = text(
    "select * from conversions where try_at <= :now order by try_at, id limit :limit "
    "for update skip locked"
)
_LIST = text(
    "select cast(id as varchar) from conversions where try_at <= :now order by try_at, id limit :limit"
)
_CLAIM_ONE = text(
    "select * from conversions where id = cast(:id as uuid) and try_at <= :now for update skip locked"
)
_POSTPONE = text(
    "update conversions set try_at = :at where id = cast(:id as uuid) and try_at <= :now"
)
_SETTLE = text(
    "update conversions c set state = n.state, try_at = n.try_at, attribution = n.attribution, reason = n.reason, "
    "account_id = n.account_id, property_id = n.property_id, "
    "person = case when n.state = 'held' then c.person end "
    "from unnest(cast(:ids as uuid[]), cast(:states as varchar[]), cast(:tries as timestamptz[]), "
    "cast(:attributions as varchar[]), cast(:reasons as varchar[]), cast(:accounts as varchar[]), "
    "cast(:properties as uuid[])) as n(id, state, try_at, attribution, reason, account_id, property_id) "
    "where c.id = n.id"
)
_BY_PIXEL = text(
    "select click_id, door, lower(event_name), count(*) filter (where reason like 'ok%'), "
    "count(*) filter (where reason not like 'ok%') from conversions "
    "where click_id = any(:clicks) and door = any(:doors) and state = 'attributed' group by 1, 2, 3"
)


class State(StrEnum):
    HELD = "held"
    ATTRIBUTED = "attributed"
    UNATTRIBUTED = "unattributed"
    REPEATED = "repeated"
    """Its order was converted before."""
    SURPLUS = "surplus"
    """Beyond the number of invalid conversions kept for a click."""


@dataclass(slots=True)
class PendingConversion:
    """A pending conversion as it was reported. ``account_id`` and ``property_id`` are None for a pixel."""

    id: UUID
    account_id: str | None
    property_id: UUID | None
    is_test: bool
    door: ConversionChannel
    click_id: UUID | None
    person: bytes | None
    event_name: str
    occurred_at: datetime
    heard_ms: int
    value_cents: int | None
    currency: str | None
    order_id: str | None
    reason: Reason
    judge_version: int
    live_reason: Reason | None

    @property
    def occurred_ms(self) -> int:
        return to_ms(self.occurred_at)


@dataclass(frozen=True, slots=True)
class Settled:
    """The result for a conversion; ``try_at`` is set only where it is tried again."""

    id: UUID
    state: State
    account_id: str | None
    property_id: UUID | None
    reason: Reason
    attribution: Attribution | None = None
    try_at: datetime | None = None


async def claim_due(session: AsyncSession, now: datetime, limit: int) -> list[PendingConversion]:
    """The longest due conversions, locked until the transaction ends. Skips those locked by another transaction."""
    rows = await session.execute(_CLAIM, {"now": now, "limit": limit})
    return [_held(row) for row in rows]


async def list_due(session: AsyncSession, now: datetime, limit: int) -> list[str]:
    """Ids of the longest due conversions, which are not locked."""
    return list(await session.scalars(_LIST, {"now": now, "limit": limit}))


async def claim_one(
    session: AsyncSession, conversion_id: str, now: datetime
) -> list[PendingConversion]:
    """The conversion if it is due, locked as by `claim_due`; else empty."""
    rows = await session.execute(_CLAIM_ONE, {"id": conversion_id, "now": now})
    return [_held(row) for row in rows]


async def postpone(session: AsyncSession, conversion_id: str, now: datetime, at: datetime) -> None:
    """The conversion is not due before *at*, unless another process has decided it since *now*."""
    await session.execute(_POSTPONE, {"id": conversion_id, "now": now, "at": at})


async def settle(session: AsyncSession, settled: Sequence[Settled]) -> None:
    """Stores what was decided: state, next attempt, attribution, reason, and the account and property of the click."""
    rows = [
        (
            one.id,
            one.state.value,
            one.try_at,
            None if one.attribution is None else one.attribution.value,
            one.reason.value,
            one.account_id,
            one.property_id,
        )
        for one in settled
    ]
    names = ("ids", "states", "tries", "attributions", "reasons", "accounts", "properties")
    await session.execute(_SETTLE, columns_of(rows, *names))


Pixels = tuple[UUID, ConversionChannel]
"""A click, and whether its pixels were signed. The limits of a click hold for each of both."""


@dataclass(slots=True)
class ByPixel:
    """Attributed conversions of one click that came by pixel. ``valid``: by event name in lower case."""

    valid: Counter[str] = field(default_factory=Counter)
    invalid: int = 0


async def count_by_pixel(session: AsyncSession, clicks: Sequence[UUID]) -> dict[Pixels, ByPixel]:
    """Counts for each click that has any."""
    found: dict[Pixels, ByPixel] = {}
    if clicks:
        requested = {"clicks": list(clicks), "doors": sorted(PIXEL_CHANNELS)}
        rows = await session.execute(_BY_PIXEL, requested)
        for click_id, door, event_name, valid, invalid in rows:
            of_click = found.setdefault((click_id, ConversionChannel(door)), ByPixel())
            of_click.valid[event_name] += valid
            of_click.invalid += invalid
    return found


def _held(row: Any) -> PendingConversion:
    return PendingConversion(
        id=row.id,
        account_id=row.account_id,
        property_id=row.property_id,
        is_test=row.is_test,
        door=ConversionChannel(row.door),
        click_id=row.click_id,
        person=row.person,
        event_name=row.event_name,
        occurred_at=row.occurred_at,
        heard_ms=to_ms(row.heard_at),
        value_cents=row.value_cents,
        currency=row.currency,
        order_id=row.order_id,
        reason=Reason(row.reason),
        judge_version=row.judge_version,
        live_reason=None if row.live_reason is None else Reason(row.live_reason),
    )
