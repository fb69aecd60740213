"""Mails to owners about a property's payout details."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from common.service.secrets import KeyRing
from common.values.messages import Message
from control.api.mail.kinds import MailKind
from control.api.mail.letter import Letter, write_letter
from control.api.mail.outbox import queue_mail
from control.identity.users.names import quoted
from control.inventory.domain_verification.mails import property_line
from control.inventory.domain_verification.queries import list_owners
from control.storage.tables.properties import PropertyRow


async def queue_payout_mail(
    session: AsyncSession,
    row: PropertyRow,
    before: Mapping[str, Any],
    *,
    keys: KeyRing,
    now: datetime,
) -> None:
    """Queue one mail per owner, with the terms of *before* and those of *row*."""
    letter = payout_letter(row, before)
    for owner in await list_owners(session, row.account_id):
        mail = write_letter(letter, owner)
        queue_mail(
            session,
            mail,
            kind=MailKind.PAYOUT_CHANGED,
            account_id=row.account_id,
            keys=keys,
            now=now,
        )


def payout_letter(row: PropertyRow, before: Mapping[str, Any]) -> Letter:
    """*before*: the terms that those of *row* replaced."""
    return Letter(
        Message("The payout details of a property were changed"),
        (
            Message(
                "The payout details of your property {name} were changed.", name=quoted(row.name)
            ),
            Message("Before: {terms}.", terms=_terms(before)),
            Message("Now: {terms}.", terms=_terms(row.payout)),
        ),
        after=(
            Message("The audit log shows who made the change."),
            Message("If you did not expect it, change the details back and check your members."),
            property_line(row.id),
        ),
    )


def _terms(payout: Mapping[str, Any]) -> Message:
    percent = payout["share_percent"]
    if not payout["payee"]:
        return Message("{percent} % of the spend to nobody", percent=percent)
    return Message(
        "{percent} % of the spend to {payee}", percent=percent, payee=quoted(payout["payee"])
    )
