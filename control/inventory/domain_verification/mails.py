"""Mails to owners about a property's verification."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy.ext.asyncio import AsyncSession

from common.service.secrets import KeyRing
from control.api.mail.outbox import queue_mail
from control.inventory.domain_verification.queries import list_owner_addresses
from control.inventory.domain_verification.rules import GRACE
from control.ports.mail import Mail
from control.storage.tables.properties import PropertyRow


class Notice(StrEnum):
    """The kinds of mail, as stored in `MailRow.kind`."""

    WARNED = "verification_failing"
    LOST = "verification_lost"
    MOVED = "verification_moved"


_SUBJECT = {
    Notice.WARNED: "The verification of {domain} is failing",
    Notice.LOST: "{domain} is no longer verified",
    Notice.MOVED: "{domain} was verified by another account",
}

_TEXT = {
    Notice.WARNED: (
        "We checked the verification of your property {name} ({domain}) and did not find the proof:\n"
        "{error}\n\n"
        "Live ads continue for {days} days. Publish the record or tag again before then; we check every day."
    ),
    Notice.LOST: (
        "The proof for your property {name} ({domain}) has been missing for {days} days:\n"
        "{error}\n\n"
        "The property no longer serves live ads. Publish the record or tag again, then verify the property."
    ),
    Notice.MOVED: (
        "Another account verified {domain}, and the proof for your property {name} is no longer published "
        "there.\n\n"
        "The property no longer serves live ads. If the domain is yours, publish the record or tag again, then "
        "verify the property."
    ),
}


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
    words = {
        "name": row.name,
        "domain": row.domain,
        "error": error,
        "days": GRACE.days,
    }
    for address in await list_owner_addresses(session, row.account_id, kind=notice):
        mail = Mail(
            to=address,
            subject=_SUBJECT[notice].format(**words),
            text=_TEXT[notice].format(**words) + f"\n\nProperty {row.id}\n",
        )
        queue_mail(session, mail, kind=notice.value, account_id=row.account_id, keys=keys, now=now)
