"""The store that writes events, with its limits, as settings say."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from common.ivt.windows import LIMITS, Limits
from control.api.context import ControlContext
from control.events.ingest.sequences import take_new
from control.events.ingest.store import Store, TakeNew
from control.foundation.settings import ControlSettings
from control.outbox.changes import Changes
from control.outbox.outbox import flush


def limits_of(settings: ControlSettings) -> Limits:
    return Limits(
        settings.click_after_ms,
        settings.click_apart_ms,
        settings.impressions_a_minute,
        settings.clicks_a_minute,
        settings.impression_apart_ms,
        settings.mail_clicks_a_second,
    )


def open_store(
    control: ControlContext, limits: Limits = LIMITS, *, take: TakeNew = take_new
) -> Store:
    async def tell_edges(session: AsyncSession, changes: Changes, now: datetime) -> None:
        await flush(session, changes, keys=control.keys, now=now)

    return Store(control.database, control.clock, tell_edges, limits, take=take)
