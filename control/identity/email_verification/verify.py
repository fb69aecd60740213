"""E-mail verification: a token is mailed to an address, and presenting the token proves access to its mailbox."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.values.errors import Detail, ErrorCode, Refused
from common.values.messages import Message
from control.api.authentication import token_hash
from control.api.context import ControlContext
from control.api.mail.kinds import MailKind
from control.api.mail.outbox import check_recipient
from control.identity.accounts.proofs import record_proof
from control.identity.users.email_tokens import TokenPurpose, add_mailed_token, get_mailed_token
from control.identity.users.mails import queue_letter_to_user, recipient_of, verification_letter
from control.identity.users.memberships import record_in_accounts
from control.identity.users.trusted_networks import remember_network
from control.outbox.changes import Changes
from control.storage.tables.accounts import UserRow
from control.storage.tables.people import MailedTokenRow

ALREADY_VERIFIED = "already_verified"
"""The code of the detail for a used token of an address that is verified."""


async def send_verification(
    session: AsyncSession, control: ControlContext, user: UserRow, now: datetime
) -> None:
    """Queue the mail. Runs as the service. Raises `Refused` (429) if the address has received its mails of the day."""
    await check_recipient(session, user.email, keys=control.keys, now=now)
    token = await add_mailed_token(
        session, TokenPurpose.EMAIL_VERIFICATION, user_id=user.id, email=user.email, now=now
    )
    queue_letter_to_user(
        session,
        verification_letter(token, control.settings.control_url),
        recipient_of(user),
        kind=MailKind.EMAIL_VERIFICATION,
        keys=control.keys,
        now=now,
    )


async def send_again(
    session: AsyncSession, control: ControlContext, user_id: str, now: datetime
) -> None:
    """Raises `Refused` if the address is verified already or has received its mails of the day."""
    user = await session.get_one(UserRow, user_id)
    if user.email_verified_at is not None:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message("The address is already verified. There is nothing to do."),
        )
    await send_verification(session, control, user, now)


async def confirm_verification(
    session: AsyncSession, *, token: str, origin: str, changes: Changes, now: datetime
) -> None:
    """
    Redeem *token* and verify the address. Raises `Refused`, also if the address was changed since the mail, and with a
    detail `already_verified` for a used token of an address that is verified.
    """
    try:
        proof = await get_mailed_token(
            session, TokenPurpose.EMAIL_VERIFICATION, token, now, locked=True
        )
    except Refused as refused:
        if not await _is_of_verified_address(session, token):
            raise
        raise _already_verified() from refused
    user = await session.get_one(UserRow, proof.user_id, with_for_update={"key_share": True})
    if proof.email != user.email:
        raise Refused(
            ErrorCode.TOKEN_INVALID,
            Message("The address was changed after this email was sent. Request a new one."),
            param="token",
        )
    proof.used_at = now
    await record_proof(session, user, changes=changes, now=now)
    await remember_network(session, user.id, origin, now)
    await record_in_accounts(session, user.id, "email.verify", origin=origin, now=now)


async def _is_of_verified_address(session: AsyncSession, token: str) -> bool:
    """Whether *token*, used or expired, was sent to an address that its user has and that is verified."""
    found = await session.scalar(
        select(col(UserRow.id))
        .join(MailedTokenRow, col(MailedTokenRow.user_id) == col(UserRow.id))
        .where(
            col(MailedTokenRow.hash) == token_hash(token),
            col(MailedTokenRow.purpose) == TokenPurpose.EMAIL_VERIFICATION.value,
            col(MailedTokenRow.email) == col(UserRow.email),
            col(UserRow.email_verified_at).is_not(None),
        )
    )
    return found is not None


def _already_verified() -> Refused:
    message = Message("Your address is verified already.")
    return Refused(
        ErrorCode.TOKEN_INVALID,
        message,
        param="token",
        details=(Detail("token", ALREADY_VERIFIED, message),),
    )
