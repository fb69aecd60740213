"""Scheduled jobs for mails, besides sending them."""

from datetime import timedelta

from sqlalchemy import or_
from sqlmodel import col

from control.api.context import ControlContext
from control.api.job_items import delete_where
from control.storage.tables.mails import MailRow

KEPT = timedelta(days=30)
"""Mails are deleted so long after they were sent or given up."""


async def sweep_mails(control: ControlContext) -> None:
    before = control.clock.now() - KEPT
    old = or_(col(MailRow.sent_at) < before, col(MailRow.failed_at) < before)
    await delete_where(control.database, MailRow, old)
