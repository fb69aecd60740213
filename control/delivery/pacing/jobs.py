"""
Publishes delivery to edges: pace objects into the outbox, a few hundred campaigns a transaction.

There are two passes: every second for figures that moved by a hundredth of a bound or crossed one, every twenty seconds
for any change. So an edge's figures are at most half a minute old. A campaign that spends its budget evenly makes some
hundred deltas, instead of one for each event.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from common.snapshot.codec import parse_object
from common.snapshot.model import ObjectType, Pace
from control.api.context import ControlContext
from control.delivery.pacing.pace_publish_policy import STEP_PPM, is_due
from control.outbox.changes import Changes
from control.outbox.outbox import flush
from control.outbox.pace_objects import CampaignFigures, list_moved, list_unknown

_ROWS_AT_ONCE = 500
_MAX_A_RUN = 4
"""Batches in one run; further ones wait for the next run."""
_LOOK_BACK = timedelta(minutes=2)
_LOOK_FAR_BACK = timedelta(minutes=10)


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
    await _publish(control, since=datetime.fromtimestamp(0, control.clock.now().tzinfo), step_ppm=0)
    while True:
        async with control.database.service() as session:
            gone = await list_unknown(session, _ROWS_AT_ONCE)
            await _notify(session, control, gone)
        if len(gone) < _ROWS_AT_ONCE:
            return


async def _publish(control: ControlContext, *, since: datetime, step_ppm: int) -> None:
    async with control.database.service() as session:
        moved = await list_moved(session, since)
    now = control.clock.now()
    due = [one.campaign_id for one in moved if _is_due(one, now, step_ppm)]
    for first in range(0, min(len(due), _ROWS_AT_ONCE * _MAX_A_RUN), _ROWS_AT_ONCE):
        async with control.database.service() as session:
            await _notify(session, control, due[first : first + _ROWS_AT_ONCE])


def _is_due(one: CampaignFigures, now: datetime, step_ppm: int) -> bool:
    published = None if one.known is None else parse_object(ObjectType.PACE, one.known)
    return is_due(
        published if isinstance(published, Pace) else None, one.delivered(now), one.bounds, step_ppm
    )


async def _notify(
    session: AsyncSession, control: ControlContext, campaign_ids: Sequence[str]
) -> None:
    changes = Changes()
    for campaign_id in campaign_ids:
        changes.touch(ObjectType.PACE, campaign_id)
    await flush(session, changes, keys=control.keys, now=control.clock.now())
