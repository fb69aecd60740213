"""Queueing a mail in the transaction of what it tells: it leaves if, and only if, that is committed."""

from datetime import datetime

import orjson
from sqlalchemy.ext.asyncio import AsyncSession

from common.ids import new_id
from common.secrets import KeyRing, Purpose
from control.ports.mail import Mail
from control.tables.mails import MailRow


def queue_mail(
    session: AsyncSession,
    mail: Mail,
    *,
    kind: str,
    account_id: str | None,
    keys: KeyRing,
    now: datetime,
) -> str:
    """The id of the queued mail. A tenant may queue for its own account, the service for anybody."""
    mail_id = new_id()
    content = orjson.dumps({"to": mail.to, "subject": mail.subject, "text": mail.text})
    session.add(
        MailRow(
            id=mail_id,
            account_id=account_id,
            kind=kind,
            sealed=keys.seal(Purpose.MAILS, content, bound_to=mail_id),
            created_at=now,
            due_at=now,
        )
    )
    return mail_id


def open_mail(row: MailRow, keys: KeyRing) -> Mail:
    """Raises `SealBroken` where the key file lost what sealed it."""
    content = orjson.loads(keys.unseal(Purpose.MAILS, row.sealed, bound_to=row.id))
    return Mail(to=content["to"], subject=content["subject"], text=content["text"])
