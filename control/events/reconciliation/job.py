"""
One pass compares what edges appended with what was stored. Lost records are requested again and reported.

Appended = shipped = stored + duplicates + dead. A writer numbers its records without gaps, so missing records can be
named. The sums of its hours show, besides, that every record that arrived was counted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import structlog

from common.tracking.reconcile import ReplayRequest, Retained
from common.values.clock import to_ms
from common.values.errors import Unavailable
from control.api.context import ControlContext
from control.events.reconciliation.gaps import LOOKED_BACK, Gap, compare, mark_requested, purge
from control.events.reconciliation.hours import Uncounted, list_uncounted

_log: structlog.stdlib.BoundLogger = structlog.get_logger("reconcile")


@dataclass(frozen=True, slots=True)
class Outcome:
    gaps: Sequence[Gap]
    uncounted: Sequence[Uncounted]
    mailbox_unavailable: str | None
    """Why nothing could be requested from an edge; None if there was no need, or it worked."""

    @property
    def missing(self) -> int:
        return sum(one.count for one in self.gaps)


async def reconcile(control: ControlContext) -> None:
    await make_pass(control)


async def make_pass(control: ControlContext) -> Outcome:
    """
    Runs one pass.

    If Redis is unavailable, the comparison runs without the contents of the edges' disks, and requests wait for the
    next pass. Raises `Unavailable` if the database is unavailable.
    """
    now = control.clock.now()
    kept, unavailable = await _read_mailbox(control)
    async with control.database.service() as session:
        gaps = await compare(session, kept, now)
        uncounted = await list_uncounted(session, now, back=LOOKED_BACK)
        await purge(session, now)
    if unavailable is None:
        unavailable = await _request_replays(control, gaps)
    outcome = Outcome(gaps, uncounted, unavailable)
    _report(control, outcome)
    return outcome


async def _read_mailbox(control: ControlContext) -> tuple[Mapping[str, Retained], str | None]:
    try:
        return await control.replay_mailbox.retained(), None
    except Unavailable as error:
        return {}, error.message


async def _request_replays(control: ControlContext, gaps: Sequence[Gap]) -> str | None:
    now = control.clock.now()
    wanted = {one.writer: ReplayRequest(to_ms(now), one.ranges) for one in gaps}
    try:
        await control.replay_mailbox.request_replay(wanted)
    except Unavailable as error:
        return error.message
    if wanted:
        async with control.database.service() as session:
            await mark_requested(session, list(wanted), now)
    return None


def _report(control: ControlContext, outcome: Outcome) -> None:
    metrics = control.metrics
    metrics.records_missing.set(outcome.missing)
    metrics.records_unaccounted.set(sum(one.count for one in outcome.uncounted))
    for gap in outcome.gaps:
        if gap.is_new:
            metrics.records_lost.inc(gap.count)
        _log.error(
            "records_lost",
            writer=gap.writer,
            count=gap.count,
            first=gap.ranges[0][0],
            since=gap.since.isoformat(),
            not_requested=outcome.mailbox_unavailable,
        )
    for one in outcome.uncounted:
        _log.error(
            "records_unaccounted", writer=one.writer, hour=one.hour.isoformat(), count=one.count
        )
