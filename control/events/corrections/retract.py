"""
Retracts events: adds a correction for each, and subtracts it from everything that counted it.

Nothing stored is changed. The correction is an event of its own: ``reason`` is `retracted`, ``corrects`` is the id of
the original, and the charge is the original's, negated. In the hour of the retraction, `event_hourly` counts -1 under
`retracted`, which readers of valid events add. A row of `charges` returns the money. The ledger gets an entry in the
month of the retraction, and no billed month changes. An event is retracted once, however often that is requested. Locks
are taken in the order of ingest: campaigns, then rows of sums.
"""

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncSession

from common.snapshot.model import ObjectType
from common.values.clock import to_ms
from common.values.enums import EventKind, Source
from common.values.ids import derived_id
from control.events.corrections import statements as sql
from control.events.ingest.column_arrays import columns_of
from control.events.ingest.days import day_at
from control.events.ingest.ledger import ADD_CHARGES, HOLD_COLUMNS
from control.outbox.changes import Changes

_CAUSE_CHARS = 300


@dataclass(frozen=True, slots=True)
class Chosen:
    """A stored event to retract; ``day``: its partition."""

    day: date
    id: uuid.UUID
    cause: str


@dataclass(slots=True)
class AccountShare:
    """What was retracted of one account. ``first``: the lowest id of these events; ``micros``: refunded."""

    first: uuid.UUID
    events: int = 0
    micros: int = 0


@dataclass(slots=True)
class Retracted:
    """``micros``: refunded. ``campaigns``: those that counted the events. ``reopened``: those that are active again."""

    events: int = 0
    micros: int = 0
    by_account: dict[str, AccountShare] = field(default_factory=dict)
    campaigns: list[str] = field(default_factory=list)
    reopened: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Line:
    """What one campaign is refunded."""

    account_id: str
    micros: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    days: Counter[date] = field(default_factory=Counter)
    bought: dict[tuple[str, str], list[int]] = field(
        default_factory=lambda: defaultdict(lambda: [0, 0])
    )


async def retract(
    session: AsyncSession, changes: Changes, chosen: Sequence[Chosen], now: datetime
) -> Retracted:
    """
    Retracts those of *chosen* that are valid and not retracted yet, in the caller's transaction.

    At most a thousand at once: campaigns stay locked until it ends.
    """
    retracted = await retract_only(session, chosen, now)
    retracted.reopened = await reopen(session, changes, retracted.campaigns, now)
    return retracted


async def retract_only(
    session: AsyncSession, chosen: Sequence[Chosen], now: datetime, *, also_lock: Iterable[str] = ()
) -> Retracted:
    """
    As `retract`, but leaves completed campaigns completed: `reopen` may follow.

    *also_lock*: campaigns that the transaction charges afterwards. All rows are locked in one order with them.
    """
    if not chosen:
        return Retracted()
    causes = {one.id: one.cause[:_CAUSE_CHARS] for one in chosen}
    requested = {"days": sorted({one.day for one in chosen}), "ids": sorted(causes)}
    found = (await session.execute(sql.ORIGINALS, requested)).all()
    taken = await _claim(session, found, causes, now)
    rows = [row for row in found if row.id in taken]
    if not rows:
        return Retracted()
    lines = await _lines(session, rows, also_lock)
    corrections = {
        "days": [row.stored_day for row in rows],
        "ids": [row.id for row in rows],
        "corrections": [taken[row.id] for row in rows],
        "today": now.date(),
        "now": now,
    }
    await session.execute(sql.CORRECT, corrections)
    await session.execute(sql.COUNT_BACK, corrections)
    touched = {
        "clicked": [row.token_id for row in rows if row.kind == EventKind.CLICK],
        "shown": [row.token_id for row in rows if row.kind == EventKind.IMPRESSION],
    }
    await session.execute(sql.FORGET_TOUCHES, touched)
    await _unclaim(session, lines)
    return Retracted(
        len(rows),
        sum(row.charged_micros for row in rows),
        _share_among_accounts(rows),
        sorted(lines),
    )


async def reopen(
    session: AsyncSession, changes: Changes, campaigns: Sequence[str], now: datetime
) -> list[str]:
    """Makes completed campaigns active whose budget and goal have room again; returns their ids."""
    if not campaigns:
        return []
    reopened = list(await session.scalars(sql.REOPEN, {"ids": sorted(campaigns), "now": now}))
    for campaign_id in reopened:
        changes.touch(ObjectType.CAMPAIGN, campaign_id)
    return reopened


def correction_id(issued_ms: int, event_id: uuid.UUID) -> uuid.UUID:
    """Id of the one event that may retract *event_id*."""
    return derived_id(issued_ms, b"cor/v1", event_id.bytes)


def _share_among_accounts(rows: Sequence[Row[Any]]) -> dict[str, AccountShare]:
    shares: dict[str, AccountShare] = {}
    for row in sorted(rows, key=lambda row: row.id):
        share = shares.setdefault(row.account_id, AccountShare(row.id))
        share.events += 1
        share.micros += row.charged_micros
    return shares


async def _claim(
    session: AsyncSession, rows: Sequence[Row[Any]], causes: Mapping[uuid.UUID, str], now: datetime
) -> dict[uuid.UUID, uuid.UUID]:
    """Event → its correction, for events that were not retracted before."""
    claims = [
        (row.id, correction_id(to_ms(row.issued_at), row.id), row.account_id, causes[row.id])
        for row in rows
    ]
    won = await session.execute(
        sql.CLAIM, columns_of(claims, "ids", "corrections", "accounts", "causes") | {"now": now}
    )
    return {row.event_id: row.correction_id for row in won}


async def _lines(
    session: AsyncSession, rows: Sequence[Row[Any]], also_lock: Iterable[str]
) -> dict[str, _Line]:
    """Lines by campaign, for events that ingest counted for a campaign. Locks the campaigns' rows."""
    wanted = sorted({*also_lock, *(str(row.campaign_id) for row in rows if not row.is_test)})
    locked = await session.execute(sql.LOCK, {"ids": wanted})
    zones = {campaign: (account, timezone) for campaign, account, timezone in locked}
    lines: dict[str, _Line] = {}
    for row in rows:
        campaign_id = str(row.campaign_id)
        account_id, timezone = zones.get(campaign_id, (None, "UTC"))
        if row.is_test or row.source == Source.PREVIEW or account_id != row.account_id:
            continue
        line = lines.setdefault(campaign_id, _Line(row.account_id))
        line.counts[row.kind] += 1
        if row.charged_micros:
            line.micros += row.charged_micros
            line.days[day_at(timezone, to_ms(row.issued_at))] += row.charged_micros
            bought = line.bought[str(row.property_id), row.kind]
            bought[0] += 1
            bought[1] += row.charged_micros
    return lines


async def _unclaim(session: AsyncSession, lines: Mapping[str, _Line]) -> None:
    """Subtracts what was retracted from spend and counts, and queues the negative charges. *lines*: by campaign."""
    if not lines:
        return
    days = [
        (campaign, day, line.account_id, -micros)
        for campaign, line in lines.items()
        for day, micros in line.days.items()
    ]
    bought = [
        (line.account_id, campaign, property_id, kind, -units, -micros)
        for campaign, line in lines.items()
        for (property_id, kind), (units, micros) in line.bought.items()
    ]
    spent = [
        (campaign, -line.micros, *(-line.counts[kind] for kind in EventKind))
        for campaign, line in lines.items()
    ]
    kinds = [f"{kind}s" for kind in EventKind]
    await session.execute(
        ADD_CHARGES,
        columns_of(spent, "ids", "micros", *kinds)
        | columns_of(days, "day_campaigns", "days", "day_accounts", "day_micros")
        | columns_of((), "minute_campaigns", "minutes", "minute_accounts", "minute_micros")
        | columns_of((), *HOLD_COLUMNS)
        | columns_of(bought, "accounts", "campaigns", "properties", "kinds", "units", "bought"),
    )
