"""Mails to owners about a property's payout details."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from common.service.secrets import KeyRing
from control.api.mail.outbox import queue_mail
from control.identity.users.names import quoted
from control.inventory.domain_verification.queries import list_owner_addresses
from control.ports.mail import Mail
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
    text = (
        f"The payout details of your property {quoted(row.name)} were changed.\n\n"
        f"Before: {_terms(before)}\n"
        f"Now: {_terms(row.payout)}\n\n"
        "The audit log shows who made the change. "
        "If you did not expect it, change the details back and check your members.\n\n"
        f"Property {row.id}\n"
    )
    for address in await list_owner_addresses(session, row.account_id):
        mail = Mail(to=address, subject="The payout details of a property were changed", text=text)
        queue_mail(
            session, mail, kind="payout_changed", account_id=row.account_id, keys=keys, now=now
        )


def _terms(payout: Mapping[str, Any]) -> str:
    payee = quoted(payout["payee"]) if payout["payee"] else "nobody"
    return f"{payout['share_percent']} % of the spend to {payee}"
