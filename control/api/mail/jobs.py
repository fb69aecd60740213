"""Scheduled jobs for mails, besides sending them."""

from datetime import timedelta

from sqlalchemy import delete, or_
from sqlmodel import col

from control.api.context import ControlContext
from control.storage.tables.mails import MailRow

KEPT = timedelta(days=30)
"""Mails are deleted so long after they were sent or given up."""


async def sweep_mails(control: ControlContext) -> None:
    before = control.clock.now() - KEPT
    async with control.database.service() as session:
        await session.execute(
            delete(MailRow).where(
                or_(col(MailRow.sent_at) < before, col(MailRow.failed_at) < before)
            )
        )
