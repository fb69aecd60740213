"""Re-checks the proofs of verified properties, a few at a time."""

import asyncio

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from control.api import audit
from control.api.context import ControlContext
from control.api.job_items import FailedItems
from control.api.versioning import raise_version
from control.inventory.domain_verification import queries, rules
from control.inventory.domain_verification.check import find_proof
from control.inventory.domain_verification.check_result import Finding, Outcome, Problem
from control.inventory.domain_verification.mails import Notice, queue_mail_to_owners
from control.inventory.domain_verification.revoke import revoke_verification
from control.inventory.domain_verification.rules import Recheck, Rechecked
from control.inventory.domain_verification.verification_state import column_of, parse_state
from control.outbox.changes import Changes
from control.outbox.outbox import flush
from control.storage.tables.properties import PropertyRow

_AT_ONCE = 10
_BATCHES = 6
"""Batches of one run: sixty properties a minute are 2.6 million in 30 days."""
_log: structlog.stdlib.BoundLogger = structlog.get_logger("verification")


async def recheck_properties(control: ControlContext) -> None:
    """Write each result in its own transaction. A property that changed during its check is left for the next run."""
    failed = FailedItems()
    for _ in range(_BATCHES):
        async with control.database.service() as session:
            due = await queries.list_due(session, control.clock.now(), limit=_AT_ONCE)
        found = await asyncio.gather(*(_check(control, row) for row in due))
        for row, finding in zip(due, found, strict=True):
            with failed.catching(row.id):
                await _settle(control, row, finding)
        if len(due) < _AT_ONCE or failed.ids:
            break
    failed.raise_first()


async def _check(control: ControlContext, seen: PropertyRow) -> Finding | None:
    """
    None if there is no proof to look for, for example if an operator verified the property manually.
    Never raises.
    """
    held = parse_state(seen.verification).held
    if held is None or seen.domain is None:
        return None
    try:
        finding = await find_proof(
            held, seen.domain, resolver=control.resolver, fetcher=control.fetcher
        )
    except Exception:  # noqa: BLE001 - one property's odd page must not keep the others from being looked for
        _log.exception("recheck_failed", property=seen.id)
        finding = Finding(Outcome.UNDECIDED, (), Problem.RESOLVER_SILENT)
    control.metrics.verifications.labels(held.method, finding.outcome, "recheck").inc()
    return finding


async def _settle(control: ControlContext, seen: PropertyRow, finding: Finding | None) -> None:
    now = control.clock.now()
    changes = Changes()
    async with control.database.service() as session:
        row = await queries.find_locked(session, seen.id)
        if row is None or (row.status, row.domain) != (seen.status, seen.domain):
            return
        if parse_state(row.verification).held != parse_state(seen.verification).held:
            return
        if finding is None:
            row.check_due_at = None
            return
        done = rules.after_recheck(parse_state(row.verification), finding, row.id, now)
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
    now, error = control.clock.now(), done.state.last_error or ""
    if done.verdict is Recheck.LOST:
        await revoke_verification(
            session, row, done.state, Notice.LOST, changes, keys=control.keys, now=now
        )
        return
    if done.verdict is not Recheck.UNDECIDED:
        row.verification = column_of(done.state)
        raise_version(row, now)
    row.check_due_at = done.due_at
    if done.verdict is Recheck.WARNED:
        await queue_mail_to_owners(session, row, Notice.WARNED, error, keys=control.keys, now=now)
        audit.record_job(session, row.account_id, "property.verification_failing", row.id, now=now)
