"""Advances shared secrets: to signing, to retired, and out of the snapshot."""

from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from common.snapshot.model import ObjectType
from control.api import audit
from control.api.context import ControlContext
from control.api.job_items import FailedItems
from control.inventory.signing_secrets import queries, rules
from control.outbox.changes import Changes
from control.outbox.outbox import flush
from control.storage.tables.properties import PropertyRow

_AT_ONCE = 100


async def advance_secret_rotation(control: ControlContext) -> None:
    """Process each property in its own transaction, so that its old and new signing secrets change in one delta."""
    wait = timedelta(seconds=control.settings.secret_wait_s)
    failed = FailedItems()
    while True:
        async with control.database.service() as session:
            now = control.clock.now()
            await queries.record_known_version(session)
            acknowledged = await queries.read_acknowledged(session, now)
            ids = await queries.list_moving(session, now, wait, acknowledged, limit=_AT_ONCE)
        for property_id in ids:
            with failed.catching(property_id):
                await _move(control, property_id, wait, acknowledged)
        if len(ids) < _AT_ONCE or failed.ids:
            failed.raise_first()
            return


async def _move(
    control: ControlContext, property_id: str, wait: timedelta, acknowledged: int | None
) -> None:
    now = control.clock.now()
    async with control.database.service() as session:
        row = await queries.find_locked(session, property_id)
        if row is None:
            return
        await _move_secrets(session, row, now, wait, acknowledged)
        changes = Changes()
        changes.touch(ObjectType.PROPERTY, property_id)
        await flush(session, changes, keys=control.keys, now=now)


async def _move_secrets(
    session: AsyncSession,
    row: PropertyRow,
    now: datetime,
    wait: timedelta,
    acknowledged: int | None,
) -> None:
    secrets = await queries.list_secrets(session, row.account_id, row.id)
    for secret in secrets:
        if rules.may_delete(secret, now, wait):
            await session.delete(secret)
        elif rules.may_retire(secret, now, wait):
            secret.state = rules.RETIRED
        elif rules.may_sign(secret, now, wait, acknowledged):
            rules.take_over(secrets, secret, now)
            audit.record_job(session, row.account_id, "property.secret_signs", row.id, now=now)
