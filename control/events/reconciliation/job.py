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
from control.events.reconciliation.gaps import LOOKED_BACK, Gap, compare, forget, note_asked
from control.events.reconciliation.hours import Uncounted, list_uncounted

_log: structlog.stdlib.BoundLogger = structlog.get_logger("reconcile")


@dataclass(frozen=True, slots=True)
class Outcome:
    gaps: Sequence[Gap]
    uncounted: Sequence[Uncounted]
    desk_away: str | None
    """Why no edge could be asked; None if there was no need, or it worked."""

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
    kept, away = await _read_desk(control)
    async with control.database.service() as session:
        gaps = await compare(session, kept, now)
        uncounted = await list_uncounted(session, now, back=LOOKED_BACK)
        await forget(session, now)
    if away is None:
        away = await _ask(control, gaps)
    outcome = Outcome(gaps, uncounted, away)
    _tell(control, outcome)
    return outcome


async def _read_desk(control: ControlContext) -> tuple[Mapping[str, Retained], str | None]:
    try:
        return await control.desk.kept(), None
    except Unavailable as error:
        return {}, error.message


async def _ask(control: ControlContext, gaps: Sequence[Gap]) -> str | None:
    now = control.clock.now()
    wanted = {one.writer: ReplayRequest(to_ms(now), one.ranges) for one in gaps}
    try:
        await control.desk.ask(wanted)
    except Unavailable as error:
        return error.message
    if wanted:
        async with control.database.service() as session:
            await note_asked(session, list(wanted), now)
    return None


def _tell(control: ControlContext, outcome: Outcome) -> None:
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
            not_asked=outcome.desk_away,
        )
    for one in outcome.uncounted:
        _log.error(
            "records_unaccounted", writer=one.writer, hour=one.hour.isoformat(), count=one.count
        )
