"""
Warns owners before an end, and records on which days the mail server accepted the mails
(`control.billing.invoicing.notices`).

Everything here runs as the service.
"""

from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from control.api.context import ControlContext
from control.api.mail.kinds import MailKind
from control.api.mail.letter import Letter, write_letter
from control.api.mail.outbox import queue_mail
from control.billing.invoicing.notices import NoticePlan, Sent
from control.foundation.settings import ControlSettings
from control.foundation.subscription_terms import parse_days
from control.inventory.domain_verification.queries import list_owners
from control.storage.tables.money import NoticeRow

_NOTE_ACCEPTED = text(
    "update billing_notices n set accepted_at = sent.at from ("
    " select b.account_id, b.about, b.day, min(m.sent_at) as at from billing_notices b"
    " join mails m on m.id in (select jsonb_array_elements_text(b.mail_ids))"
    " where b.accepted_at is null and m.sent_at is not null group by 1, 2, 3"
    ") sent where n.account_id = sent.account_id and n.about = sent.about and n.day = sent.day"
)
"""Copies the time of acceptance, because mails are deleted a month after they were sent."""


def plan_of(settings: ControlSettings, suspend_day: int) -> NoticePlan:
    return NoticePlan(parse_days(settings.notice_days), suspend_day, settings.notices_needed)


async def record_accepted(control: ControlContext) -> None:
    async with control.database.service() as session:
        await session.execute(_NOTE_ACCEPTED)


async def sent_about(session: AsyncSession, account_id: str, about: str) -> Sent:
    rows = await session.scalars(
        select(NoticeRow)
        .where(col(NoticeRow.account_id) == account_id, col(NoticeRow.about) == about)
        .order_by(col(NoticeRow.day))
    )
    found = rows.all()
    accepted = sum(row.accepted_at is not None for row in found)
    return Sent(tuple(row.day for row in found), accepted)


async def warn(
    session: AsyncSession,
    control: ControlContext,
    *,
    account_id: str,
    about: str,
    day: int,
    kind: MailKind,
    letter: Letter,
    now: datetime,
) -> None:
    """Queue a mail to each owner, and store a row for the notice."""
    ids = [
        queue_mail(
            session,
            write_letter(letter, owner),
            kind=kind,
            account_id=account_id,
            keys=control.keys,
            now=now,
        )
        for owner in await list_owners(session, account_id)
    ]
    session.add(NoticeRow(account_id=account_id, about=about, day=day, mail_ids=ids, queued_at=now))
