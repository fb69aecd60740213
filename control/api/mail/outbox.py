"""Queues a mail in the transaction that it reports on: the mail is sent if, and only if, that commits."""

import math
from datetime import datetime, timedelta

import orjson
from sqlalchemy import delete, select, text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.service.secrets import KeyRing, Purpose, SealBroken
from common.values.errors import ErrorCode, Refused
from common.values.ids import new_id
from common.values.messages import Message
from control.api.mail.kinds import LIMITED, MailKind
from control.ports.mail import Mail
from control.storage.tables.mails import MailRow

MAX_A_DAY = 3
"""`LIMITED` mails to one address, over all accounts."""
_DAY = timedelta(days=1)
_READ_AT_ONCE = 500
_FULL_SINCE = text("select mails_full_since(:hash, :since, :most)")


async def check_recipient(
    session: AsyncSession, address: str, *, keys: KeyRing, now: datetime
) -> None:
    """
    Raises `Refused` (429) where *address* has had all its mails of the last 24 hours. Call it before `queue_mail` with
    a `LIMITED` kind. A second transaction for the same address waits for the end of this one.
    """
    values = {"hash": _recipient(address, keys), "since": now - _DAY, "most": MAX_A_DAY}
    full_since: datetime | None = await session.scalar(_FULL_SINCE, values)
    if full_since is not None:
        raise _had_its_mails((full_since + _DAY - now).total_seconds())


def queue_mail(
    session: AsyncSession,
    mail: Mail,
    *,
    kind: MailKind,
    account_id: str | None,
    keys: KeyRing,
    now: datetime,
) -> str:
    """Returns the id of the queued mail. A tenant may queue for its own account, the service for any account."""
    mail_id = new_id()
    content = orjson.dumps(mail)
    session.add(
        MailRow(
            id=mail_id,
            account_id=account_id,
            kind=kind,
            sealed=keys.seal(Purpose.MAILS, content, bound_to=mail_id),
            recipient=_recipient(mail.to, keys) if kind in LIMITED else None,
            created_at=now,
            due_at=now,
        )
    )
    return mail_id


def open_mail(row: MailRow, keys: KeyRing) -> Mail:
    """Raises `SealBroken` where the key file no longer has the sealing key."""
    return Mail(**orjson.loads(keys.unseal(Purpose.MAILS, row.sealed, bound_to=row.id)))


async def discard_mails(session: AsyncSession, address: str, keys: KeyRing) -> None:
    """
    Deletes the mails to *address* that are not sent yet. Runs as the service.

    Reads the whole queue, because the address is inside the sealed mail.
    """
    rows = await session.stream_scalars(
        select(MailRow)
        .where(col(MailRow.sent_at).is_(None))
        .execution_options(yield_per=_READ_AT_ONCE)
    )
    ids = [row.id async for row in rows if _is_to(row, address, keys)]
    await session.execute(delete(MailRow).where(col(MailRow.id).in_(ids)))


def _is_to(row: MailRow, address: str, keys: KeyRing) -> bool:
    """False for a mail that no key opens: it cannot be sent either."""
    try:
        return open_mail(row, keys).to == address
    except SealBroken:
        return False


def _had_its_mails(wait_s: float) -> Refused:
    return Refused(
        ErrorCode.RATE_LIMITED,
        Message(
            "This address received {max_mails} mails in the last 24 hours, the maximum for all "
            "accounts together. Try again in {wait_h} h.",
            max_mails=MAX_A_DAY,
            wait_h=math.ceil(wait_s / 3600),
        ),
        retry_after_s=math.ceil(wait_s),
        headers={"Cache-Control": "no-store"},
    )


def _recipient(address: str, keys: KeyRing) -> bytes:
    """
    A keyed hash: without the key file, a known address cannot be matched to it. Sub-addresses (`name+tag@host`) share
    the hash of their mailbox.
    """
    local, _, host = address.rpartition("@")
    mailbox = local.partition("+")[0] or local
    return keys.sign(Purpose.MAILS, f"{mailbox}@{host}".encode())
