"""Looking again for the proofs of verified properties, a few at a time."""

import asyncio

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from control.accounts import audit
from control.context import ControlContext
from control.publishing.changes import Changes
from control.publishing.outbox import flush
from control.tables.properties import PropertyRow
from control.verification import queries, rules
from control.verification.check import look_for
from control.verification.findings import Finding
from control.verification.losing import lose
from control.verification.mails import Notice, tell_owners
from control.verification.rules import Recheck, Rechecked
from control.verification.standing import Standing, column_of, parse_standing

_AT_ONCE = 10
_BATCHES = 6
"""Of one run: sixty properties a minute are 2.6 million in 30 days."""
_log: structlog.stdlib.BoundLogger = structlog.get_logger("verification")


async def recheck_properties(control: ControlContext) -> None:
    """Each outcome in a transaction of its own; what changed while it was looked for is left for the next run."""
    for _ in range(_BATCHES):
        async with control.database.service() as session:
            due = await queries.list_due(session, control.clock.now(), most=_AT_ONCE)
        await asyncio.gather(*(_recheck(control, row) for row in due))
        if len(due) < _AT_ONCE:
            return


async def _recheck(control: ControlContext, seen: PropertyRow) -> None:
    standing = parse_standing(seen.verification)
    if standing.held is None or seen.domain is None:
        await _settle(control, seen, standing, None)
        return
    finding = await look_for(
        standing.held, seen.domain, resolver=control.resolver, fetcher=control.fetcher
    )
    control.metrics.verifications.labels(standing.held.method, finding.outcome, "recheck").inc()
    await _settle(control, seen, standing, finding)


async def _settle(
    control: ControlContext, seen: PropertyRow, standing: Standing, finding: Finding | None
) -> None:
    """*finding* None: nothing is held that could be looked for, as where an operator vouched by hand."""
    now = control.clock.now()
    changes = Changes()
    async with control.database.service() as session:
        row = await queries.find_locked(session, seen.id)
        if row is None or (row.status, row.domain) != (seen.status, seen.domain):
            return
        if parse_standing(row.verification).held != standing.held:
            return
        if finding is None:
            row.check_due_at = None
            return
        done = rules.after_recheck(parse_standing(row.verification), finding, row.id, now)
        await _apply(control, session, row, done, changes)
        await flush(session, changes, keys=control.keys, now=now)
    _log.info("rechecked", property=seen.id, verdict=done.verdict.value)


async def _apply(
    control: ControlContext,
    session: AsyncSession,
    row: PropertyRow,
    done: Rechecked,
    changes: Changes,
) -> None:
    now, error = control.clock.now(), done.standing.last_error or ""
    if done.verdict is Recheck.LOST:
        await lose(session, row, done.standing, Notice.LOST, changes, keys=control.keys, now=now)
        return
    row.verification = column_of(done.standing)
    row.check_due_at = done.due_at
    if done.verdict is Recheck.WARNED:
        await tell_owners(session, row, Notice.WARNED, error, keys=control.keys, now=now)
        audit.record(
            session,
            account_id=row.account_id,
            now=now,
            actor="system",
            action="property.verification_failing",
            object_type="property",
            object_id=row.id,
            origin="work",
        )
