"""
Sends queued mails: each is claimed by moving its due time ahead, sent outside any transaction, then marked.

Delivery is at least once: after a crash between sending and marking, the mail is sent again when its lease ends, with
the same Message-ID.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parseaddr
from typing import Any

import structlog
from sqlalchemy import func, select, update
from sqlmodel import col

from common.service.secrets import SealBroken
from control.api.context import ControlContext
from control.api.mail.outbox import open_mail
from control.ports.mail import MailRefused, MailUnavailable
from control.storage.tables.mails import MailRow

LEASE = timedelta(minutes=10)
"""Longer than any attempt to send, so that no other process claims the mail in the meantime."""
TRIED_FOR = timedelta(days=3)
_FIRST_PAUSE = timedelta(seconds=30)
_LONGEST_PAUSE = timedelta(hours=6)
_AT_ONCE = 10
_MAX_ERROR_CHARS = 300
_log: structlog.stdlib.BoundLogger = structlog.get_logger("mail")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of one attempt. ``label`` is its name in metrics."""

    label: str
    values: dict[str, Any]


async def send_due_mails(control: ControlContext) -> None:
    """Sends all due mails, a few at a time; several processes may run it."""
    while claimed := await _claim(control):
        async with asyncio.TaskGroup() as tasks:
            for row in claimed:
                tasks.create_task(_send(control, row))
    await _observe(control)


def pause_after(attempts: int) -> timedelta:
    """Returns the pause after *attempts* (≥ 1) failures: doubled each time, at most six hours."""
    doubled: int = 2 ** min(attempts - 1, 20)
    return min(_FIRST_PAUSE * doubled, _LONGEST_PAUSE)


async def _claim(control: ControlContext) -> Sequence[MailRow]:
    now = control.clock.now()
    due = (
        select(col(MailRow.id))
        .where(
            col(MailRow.sent_at).is_(None),
            col(MailRow.failed_at).is_(None),
            col(MailRow.due_at) <= now,
        )
        .order_by(col(MailRow.due_at))
        .limit(_AT_ONCE)
        .with_for_update(skip_locked=True)
    )
    async with control.database.service() as session:
        claimed = await session.scalars(
            update(MailRow)
            .where(col(MailRow.id).in_(due.scalar_subquery()))
            .values(due_at=now + LEASE, attempts=MailRow.attempts + 1)
            .returning(MailRow)
            .execution_options(synchronize_session=False)
        )
        return claimed.all()


async def _send(control: ControlContext, row: MailRow) -> None:
    outcome = await _try(control, row)
    async with control.database.service() as session:
        await session.execute(
            update(MailRow).where(col(MailRow.id) == row.id).values(**outcome.values)
        )
    control.metrics.mails.labels(row.kind, outcome.label).inc()
    if outcome.label != "sent":
        error = outcome.values["last_error"]
        _log.warning(
            "mail_not_sent", mail=row.id, kind=row.kind, outcome=outcome.label, error=error
        )


async def _try(control: ControlContext, row: MailRow) -> Outcome:
    try:
        mail = open_mail(row, control.keys)
        await control.mailer.send(mail, message_id=message_id(row.id, control.settings.mail_from))
    except (MailRefused, SealBroken) as error:
        return _given_up(control.clock.now(), error)
    except MailUnavailable as error:
        return _later(row, control.clock.now(), error)
    except Exception as error:  # noqa: BLE001 - a bug about one mail must not hold up the others
        _log.exception("mailer_failed", mail=row.id, kind=row.kind)
        return _later(row, control.clock.now(), RuntimeError(f"{type(error).__name__}: {error}"))
    return Outcome("sent", {"sent_at": control.clock.now(), "last_error": None})


def message_id(mail_id: str, sender: str) -> str:
    """Returns an id that is the same in every attempt. *sender* is an address, with or without a name."""
    return f"<{mail_id}@{parseaddr(sender)[1].rpartition('@')[2]}>"


def _later(row: MailRow, now: datetime, error: Exception) -> Outcome:
    due_at = now + pause_after(row.attempts)
    if due_at > row.created_at + TRIED_FOR:
        return _given_up(now, error)
    return Outcome("deferred", {"due_at": due_at, "last_error": _describe(error)})


def _given_up(now: datetime, error: Exception) -> Outcome:
    return Outcome("given_up", {"failed_at": now, "last_error": _describe(error)})


def _describe(error: Exception) -> str:
    return (str(error) or type(error).__name__)[:_MAX_ERROR_CHARS]


async def _observe(control: ControlContext) -> None:
    async with control.database.service() as session:
        waiting = await session.scalar(
            select(func.count())
            .select_from(MailRow)
            .where(col(MailRow.sent_at).is_(None), col(MailRow.failed_at).is_(None))
        )
    control.metrics.mails_waiting.set(waiting or 0)
