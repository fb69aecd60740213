"""`control reconcile`: runs one pass by hand, and prints the sums behind it."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import typer
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.values.clock import to_iso
from control.api.context import ControlContext
from control.events.reconciliation.hours import HourSums, list_hours
from control.events.reconciliation.job import Outcome, make_pass
from control.foundation.settings import ControlSettings
from control.wiring import open_control

_WRITERS = text("""
select m.writer, m.is_test, m.shipped, coalesce(upper(m.ranges) - 1, 0) as highest,
    (select coalesce(sum(upper(r) - lower(r)), 0) from unnest(m.ranges) r) as committed,
    cast(g.missing as text) as missing, g.since, g.asked_at, g.told_at, g.sent, g.closed_at
from writer_marks m left join writer_gaps g on g.writer = m.writer
where m.updated_at >= :since and (cast(:writer as varchar) is null or m.writer = :writer) order by m.writer
""")


async def run(settings: ControlSettings, *, explain: bool, hours: int, writer: str | None) -> bool:
    """Prints the result. Returns whether nothing is missing."""
    async with open_control(settings) as control:
        outcome = await make_pass(control)
        lines = list(_summary(outcome))
        if explain:
            lines += await explain_hours(control, hours=hours, writer=writer)
    typer.echo("\n".join(lines))
    return not outcome.gaps and not outcome.uncounted


async def explain_hours(control: ControlContext, *, hours: int, writer: str | None) -> list[str]:
    since = control.clock.now() - timedelta(hours=hours)
    async with control.database.service() as session:
        writers = await _writers(session, since, writer)
        sums = await list_hours(session, since, writer)
    return [*_explain_writers(writers), "", *_explain_hours(sums)]


async def _writers(session: AsyncSession, since: datetime, writer: str | None) -> Sequence[Any]:
    return (await session.execute(_WRITERS, {"since": since, "writer": writer})).all()


def _summary(outcome: Outcome) -> Iterator[str]:
    yield f"{outcome.missing} records are missing of {len(outcome.gaps)} writers."
    for one in outcome.uncounted:
        yield f"{one.count} records of {one.writer} in {to_iso(one.hour)} came and are in no sum."
    if outcome.mailbox_unavailable is not None:
        yield f"No edge can be reached: {outcome.mailbox_unavailable}"


def _explain_writers(writers: Sequence[Any]) -> Iterator[str]:
    for one in writers:
        environment = "test" if one.is_test else "live"
        yield (
            f"{one.writer} ({environment}): appended {one.highest}, shipped "
            f"{'unknown' if one.shipped is None else one.shipped}, committed {one.committed}"
        )
        if one.since is None:
            continue
        state = f"missing {one.missing}" if one.closed_at is None else "complete again"
        requested = "not requested" if one.asked_at is None else f"requested {to_iso(one.asked_at)}"
        reported = "" if one.told_at is None else f", answered {to_iso(one.told_at)}"
        yield f"    {state}, since {to_iso(one.since)}: {requested}{reported}, {one.sent} sent again"


def _explain_hours(sums: Sequence[HourSums]) -> Iterator[str]:
    yield "hour                      appended     stored duplicates       dead difference  writer"
    for one in sums:
        appended = "unknown" if one.appended is None else str(one.appended)
        difference = "" if one.appended is None else str(one.appended - one.came)
        yield (
            f"{to_iso(one.hour):24} {appended:>9} {one.stored:>10} {one.duplicates:>10} "
            f"{one.dead:>10} {difference:>10}  {one.writer}"
        )
