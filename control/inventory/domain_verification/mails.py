"""Mails to owners about a property's verification."""

from datetime import datetime
from enum import StrEnum
from typing import assert_never

from sqlalchemy.ext.asyncio import AsyncSession

from common.service.secrets import KeyRing
from common.values.messages import Message
from control.api.mail.kinds import MailKind
from control.api.mail.letter import Letter, write_letter
from control.api.mail.outbox import queue_mail
from control.identity.users.names import quoted
from control.inventory.domain_verification.queries import list_owners
from control.inventory.domain_verification.rules import GRACE
from control.storage.tables.properties import PropertyRow


class Notice(StrEnum):
    """The kinds of mail about a verification."""

    WARNED = MailKind.VERIFICATION_FAILING.value
    LOST = MailKind.VERIFICATION_LOST.value
    MOVED = MailKind.VERIFICATION_MOVED.value


_SUBJECT = {
    Notice.WARNED: Message("The verification of a property is failing"),
    Notice.LOST: Message("A property is no longer verified"),
    Notice.MOVED: Message("A property was verified by another account"),
}


def notice_letter(row: PropertyRow, notice: Notice, error: str) -> Letter:
    """*error*: the English text of a message about the last check; unused where the property moved."""
    name, domain = quoted(row.name), row.domain or ""
    body: tuple[Message, ...]
    match notice:
        case Notice.WARNED:
            body = (
                Message(
                    "We checked the verification of your property {name} ({domain}) and did not find the proof.",
                    name=name,
                    domain=domain,
                ),
                Message.untranslated(error),
                Message(
                    "Live ads continue for {days} days. Publish the record or tag again before then; we check every "
                    "day.",
                    days=GRACE.days,
                ),
            )
        case Notice.LOST:
            body = (
                Message(
                    "The proof for your property {name} ({domain}) has been missing for {days} days.",
                    name=name,
                    domain=domain,
                    days=GRACE.days,
                ),
                Message.untranslated(error),
                _STOPPED,
                Message("Publish the record or tag again, then verify the property."),
            )
        case Notice.MOVED:
            body = (
                Message(
                    "Another account verified {domain}, and the proof for your property {name} is no longer published "
                    "there.",
                    name=name,
                    domain=domain,
                ),
                _STOPPED,
                Message(
                    "If the domain is yours, publish the record or tag again, then verify the property."
                ),
            )
        case _:
            assert_never(notice)
    return Letter(_SUBJECT[notice], body, after=(property_line(row.id),))


_STOPPED = Message("The property no longer serves live ads.")


def property_line(property_id: str) -> Message:
    return Message("Property {property_id}", property_id=property_id)


async def queue_mail_to_owners(
    session: AsyncSession,
    row: PropertyRow,
    notice: Notice,
    error: str,
    *,
    keys: KeyRing,
    now: datetime,
) -> None:
    """Queue one mail per owner. The session is the service's."""
    letter, kind = notice_letter(row, notice, error), MailKind(notice)
    for owner in await list_owners(session, row.account_id, kind=kind):
        mail = write_letter(letter, owner)
        queue_mail(session, mail, kind=kind, account_id=row.account_id, keys=keys, now=now)
