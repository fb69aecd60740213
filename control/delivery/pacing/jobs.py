"""
Publishes delivery to edges: pace objects into the outbox, a few hundred campaigns a transaction.

There are two passes: every second for figures that moved by a hundredth of a bound or crossed one, every twenty seconds
for any change. So an edge's figures are at most half a minute old. A campaign that spends its budget evenly makes some
hundred deltas, instead of one for each event.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog

from common.snapshot.codec import parse_object
from common.snapshot.model import ObjectType, Pace
from control.api.context import ControlContext
from control.api.job_items import FailedItems
from control.delivery.pacing.pace_publish_policy import STEP_PPM, is_due
from control.outbox.changes import Changes
from control.outbox.outbox import flush
from control.outbox.pace_objects import CampaignFigures, list_moved, list_unknown, moved_figures
from control.storage.database import DatabaseUnavailable

_ROWS_AT_ONCE = 500
_MAX_A_RUN = 4
"""Batches in one run; further ones wait for the next run."""
_LOOK_BACK = timedelta(minutes=2)
_LOOK_FAR_BACK = timedelta(minutes=10)
_log: structlog.stdlib.BoundLogger = structlog.get_logger("pace")


async def publish_paces(control: ControlContext) -> None:
    """Publishes campaigns whose figures moved by a step or crossed a bound."""
    await _publish(control, since=control.clock.now() - _LOOK_BACK, step_ppm=STEP_PPM)


async def publish_minor_paces(control: ControlContext) -> None:
    """Publishes campaigns with any change."""
    await _publish(control, since=control.clock.now() - _LOOK_FAR_BACK, step_ppm=0)


async def reconcile_paces(control: ControlContext) -> None:
    """
    Publishes every outdated pace, also those missed while no job ran.

    Removes pace objects that edges no longer need.
    """
    since = datetime.fromtimestamp(0, control.clock.now().tzinfo)
    failed = await _publish_moved(control, since=since, step_ppm=0)
    while True:
        async with control.database.service() as session:
            gone = await list_unknown(session, _ROWS_AT_ONCE)
        failures = len(failed.ids)
        await _notify_some(control, gone, failed)
        if len(gone) < _ROWS_AT_ONCE or len(failed.ids) > failures:
            break
    failed.raise_first()


async def _publish(control: ControlContext, *, since: datetime, step_ppm: int) -> None:
    failed = await _publish_moved(control, since=since, step_ppm=step_ppm)
    failed.raise_first()


async def _publish_moved(control: ControlContext, *, since: datetime, step_ppm: int) -> FailedItems:
    """Returns the campaigns that could not be published. They hold up no other."""
    async with control.database.service() as session:
        moved = await list_moved(session, since)
    now, failed = control.clock.now(), FailedItems()
    due = []
    for row in moved:
        campaign_id: str = row[0]
        with failed.catching(campaign_id):
            if _is_due(moved_figures(row), now, step_ppm):
                due.append(campaign_id)
    for first in range(0, min(len(due), _ROWS_AT_ONCE * _MAX_A_RUN), _ROWS_AT_ONCE):
        await _notify_some(control, due[first : first + _ROWS_AT_ONCE], failed)
    return failed


def _is_due(one: CampaignFigures, now: datetime, step_ppm: int) -> bool:
    published = None if one.known is None else parse_object(ObjectType.PACE, one.known)
    return is_due(
        published if isinstance(published, Pace) else None, one.delivered(now), one.bounds, step_ppm
    )


async def _notify_some(
    control: ControlContext, campaign_ids: Sequence[str], failed: FailedItems
) -> None:
    """Publishes them in one transaction. If that fails, halves are published apart, down to the campaign that fails."""
    if len(campaign_ids) <= 1:
        for campaign_id in campaign_ids:
            with failed.catching(campaign_id):
                await _notify(control, campaign_ids)
        return
    try:
        await _notify(control, campaign_ids)
    except DatabaseUnavailable:
        raise
    except Exception:  # noqa: BLE001 - whatever it was, it may concern one campaign only
        _log.warning("paces_failed", campaigns=len(campaign_ids), exc_info=True)
    else:
        return
    half = len(campaign_ids) // 2
    await _notify_some(control, campaign_ids[:half], failed)
    await _notify_some(control, campaign_ids[half:], failed)


async def _notify(control: ControlContext, campaign_ids: Sequence[str]) -> None:
    changes = Changes()
    for campaign_id in campaign_ids:
        changes.touch(ObjectType.PACE, campaign_id)
    async with control.database.service() as session:
        await flush(session, changes, keys=control.keys, now=control.clock.now())
