"""Builds the store of events, with its limits from the settings."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from common.ivt.windows import LIMITS, Limits
from control.api.context import ControlContext
from control.events.ingest.sequences import take_new
from control.events.ingest.store import Store, TakeNew
from control.events.ingest.tracing import IngestTracing
from control.foundation.settings import ControlSettings
from control.outbox.changes import Changes
from control.outbox.outbox import flush


def limits_of(settings: ControlSettings) -> Limits:
    return Limits(
        settings.click_min_delay_ms,
        settings.click_dedup_window_ms,
        settings.max_impressions_per_minute,
        settings.max_clicks_per_minute,
        settings.impression_dedup_window_ms,
        settings.max_mail_clicks_per_second,
    )


def open_store(
    control: ControlContext,
    limits: Limits = LIMITS,
    *,
    take: TakeNew = take_new,
    tracing: IngestTracing | None = None,
) -> Store:
    async def notify_edges(session: AsyncSession, changes: Changes, now: datetime) -> None:
        await flush(session, changes, keys=control.keys, now=now)

    return Store(control.database, control.clock, notify_edges, limits, take=take, tracing=tracing)
