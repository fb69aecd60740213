"""Periodic jobs, each in transactions of its own; running one twice does no harm."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, select, text, update
from sqlmodel import col

from common.snapshot.model import ObjectType
from common.values.enums import CampaignStatus
from control.api.context import ControlContext
from control.api.job_items import delete_where
from control.api.versioning import raise_version
from control.billing.invoicing.flat_rate import charge_ended_flat_rates
from control.demand.ads.urls import advertiser_domain_of
from control.foundation.settings import ControlSettings
from control.outbox.changes import Changes
from control.outbox.objects import CLICK_RETENTION, TOMBSTONE_RETENTION
from control.outbox.outbox import flush
from control.outbox.state import get_head
from control.storage.tables.campaigns import AdRow, CampaignRow
from control.storage.tables.idempotency import IdempotencyRow
from control.storage.tables.outbox import OutboxRow, SnapshotObjectRow, SnapshotPastRow
from control.storage.tables.properties import KeyRow

OUTBOX_KEPT = timedelta(days=7)
ANSWERS_KEPT = timedelta(hours=24)
_ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Job:
    """
    ``every_s``: the pause between its end and its next start, or a function of the settings. ``waiting``: an SQL
    condition on ``:now`` that is true whenever there is work for it, so that it need not look itself.
    """

    name: str
    every_s: float | Callable[[ControlSettings], float]
    act: Callable[[ControlContext], Awaitable[None]]
    waiting: str = ""

    def pause_s(self, settings: ControlSettings) -> float:
        return self.every_s(settings) if callable(self.every_s) else self.every_s


async def complete_campaigns(control: ControlContext) -> None:
    """
    Completes campaigns whose flight is over or whose goal is reached, and publishes the change.

    Ingest itself completes those whose budget is used up. Flat rates are charged for the last day of a flight before. A
    campaign that could not be charged stays as it is, until the next run. A paused one whose goal is reached stays
    paused until it is resumed.
    """
    now = control.clock.now()
    uncharged = await charge_ended_flat_rates(control, now)
    active, paused = CampaignStatus.ACTIVE.value, CampaignStatus.PAUSED.value
    is_over = col(CampaignRow.status).in_((active, paused)) & (col(CampaignRow.end_at) <= now)
    has_reached = (col(CampaignRow.status) == active) & _GOAL_REACHED
    for over in (is_over, has_reached):
        await _complete(control, over & col(CampaignRow.id).not_in(uncharged.ids), now)
    uncharged.raise_first()


_GOAL_REACHED = text(
    "goal is not null and cast(goal ->> 'total' as bigint) <= (select sum(case goal ->> 'kind' "
    "when 'impressions' then c.impressions when 'clicks' then c.clicks else c.conversions end) "
    "from ads a join ad_counts c on c.ad_id = cast(a.id as uuid) where a.campaign_id = campaigns.id)"
)
"""Valid events of all its ads, also in test, where nothing is charged."""


async def _complete(control: ControlContext, over: ColumnElement[bool], now: datetime) -> None:
    while True:
        async with control.database.service() as session:
            some = select(col(CampaignRow.id)).where(over).limit(_ROWS_AT_ONCE)
            ids = await session.scalars(
                update(CampaignRow)
                .where(col(CampaignRow.id).in_(some.with_for_update(skip_locked=True)))
                .values(
                    status=CampaignStatus.COMPLETED.value,
                    completed_from=CampaignRow.status,
                    version=CampaignRow.version + 1,
                    updated_at=now,
                )
                .returning(col(CampaignRow.id))
                .execution_options(synchronize_session=False)
            )
            changes = _touched(ObjectType.CAMPAIGN, ids.all())
            await flush(session, changes, keys=control.keys, now=now)
        if len(changes.touched) < _ROWS_AT_ONCE:
            return


async def sweep_outbox(control: ControlContext) -> None:
    """Deletes steps older than a week and their changes, but never those that edges may still pull from the ring."""
    before = control.clock.now() - OUTBOX_KEPT
    async with control.database.service() as session:
        head = await get_head(session)
    ringed = head.version - control.settings.delta_history
    for table, version in (
        (OutboxRow, col(OutboxRow.version)),
        (SnapshotPastRow, col(SnapshotPastRow.until_version)),
    ):
        old = (col(table.at) < before) & (version <= ringed)
        await delete_where(control.database, table, old, first=version)


async def purge_idempotency_records(control: ControlContext) -> None:
    """Deletes stored responses of creating calls after a day."""
    before = control.clock.now() - ANSWERS_KEPT
    await delete_where(control.database, IdempotencyRow, col(IdempotencyRow.created_at) < before)


async def purge_revoked_keys(control: ControlContext) -> None:
    """Removes keys from the snapshot that were revoked or expired long ago."""
    before = control.clock.now() - TOMBSTONE_RETENTION
    ended = (col(KeyRow.revoked_at) <= before) | (col(KeyRow.expires_at) <= before)
    await _forget(control, ObjectType.KEY, select(col(KeyRow.id)).where(ended))


async def purge_archived_ads(control: ControlContext) -> None:
    """Removes ads of campaigns archived long ago from the snapshot, and with them their click destinations."""
    before = control.clock.now() - CLICK_RETENTION
    await _forget(
        control,
        ObjectType.AD,
        select(col(AdRow.id))
        .join(CampaignRow, col(CampaignRow.id) == col(AdRow.campaign_id))
        .where(
            col(CampaignRow.status) == CampaignStatus.ARCHIVED.value,
            col(CampaignRow.updated_at) <= before,
        ),
    )


async def renew_advertisers(control: ControlContext) -> None:
    """Updates ads whose advertiser changes under today's public suffix list, and publishes them again."""
    after, now = "", control.clock.now()
    while True:
        async with control.database.service() as session:
            some = (
                select(AdRow)
                .where(col(AdRow.id) > after, col(AdRow.click_url).is_not(None))
                .order_by(col(AdRow.id))
                .limit(_ROWS_AT_ONCE)
            )
            pairs = (await session.scalars(some)).all()
            moved = [row.id for row in pairs if _has_moved(row)]
            locked = select(AdRow).where(col(AdRow.id).in_(moved)).order_by(col(AdRow.id))
            for row in await session.scalars(locked.with_for_update() if moved else locked):
                row.advertiser_domain = advertiser_domain_of(row.click_url)
                raise_version(row, now)
            await session.flush()
            changes = _touched(ObjectType.AD, moved)
            await flush(session, changes, keys=control.keys, now=now)
        if len(pairs) < _ROWS_AT_ONCE:
            return
        after = pairs[-1].id


def _has_moved(row: AdRow) -> bool:
    return row.advertiser_domain != advertiser_domain_of(row.click_url)


async def _forget(control: ControlContext, kind: ObjectType, ids: Select[Any]) -> None:
    """Touches those of *ids* that edges still have: compiled again, they are removed from the snapshot."""
    stored = select(col(SnapshotObjectRow.id)).where(
        col(SnapshotObjectRow.type) == kind.value, col(SnapshotObjectRow.id).in_(ids)
    )
    while True:
        async with control.database.service() as session:
            found = (await session.scalars(stored.limit(_ROWS_AT_ONCE))).all()
            now = control.clock.now()
            version = await flush(session, _touched(kind, found), keys=control.keys, now=now)
        if version is None:
            return


def _touched(kind: ObjectType, ids: Iterable[str]) -> Changes:
    changes = Changes()
    for object_id in ids:
        changes.touch(kind, object_id)
    return changes
