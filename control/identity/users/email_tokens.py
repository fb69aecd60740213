"""Single-use tokens that are sent by mail: presenting one proves access to that mailbox."""

from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from control.api.authentication import new_token, token_hash
from control.storage.tables.people import MailedTokenRow

TOKEN_CHARS = 64
"""Longest token that is accepted; valid ones have 46 characters."""


class TokenPurpose(StrEnum):
    PASSWORD_RESET = "password_reset"
    EMAIL_VERIFICATION = "email_verification"


LASTS = {
    TokenPurpose.PASSWORD_RESET: timedelta(hours=1),
    TokenPurpose.EMAIL_VERIFICATION: timedelta(days=7),
}
_PREFIX = {TokenPurpose.PASSWORD_RESET: "pr_", TokenPurpose.EMAIL_VERIFICATION: "ev_"}


async def add_mailed_token(
    session: AsyncSession, proof: TokenPurpose, *, user_id: str, email: str, now: datetime
) -> str:
    """The text of a new token, which only the mail contains. Voids older tokens of the same purpose."""
    await void_mailed_tokens(session, user_id, now, proof)
    token = new_token(_PREFIX[proof])
    session.add(
        MailedTokenRow(
            hash=token_hash(token),
            user_id=user_id,
            purpose=proof.value,
            email=email,
            created_at=now,
            expires_at=now + LASTS[proof],
        )
    )
    return token


async def get_mailed_token(
    session: AsyncSession, proof: TokenPurpose, token: str, now: datetime, *, locked: bool = False
) -> MailedTokenRow:
    """
    Returns an unused token that has not expired. To redeem it, the caller passes *locked* and sets ``used_at``.

    Raises `Refused`: 400 `token_invalid` (unknown, used, void), 410 `token_expired`.
    """
    wanted = select(MailedTokenRow).where(
        col(MailedTokenRow.hash) == token_hash(token), col(MailedTokenRow.purpose) == proof.value
    )
    row = await session.scalar(wanted.with_for_update() if locked else wanted)
    if row is None or row.used_at is not None:
        raise Refused(
            ErrorCode.TOKEN_INVALID,
            Message(
                "The token is unknown, was already used, or was replaced by a newer one. Copy the "
                "complete token from the newest mail."
            ),
            param="token",
        )
    if row.expires_at <= now:
        raise Refused(
            ErrorCode.TOKEN_EXPIRED,
            Message("The token has expired. Request a new email."),
            param="token",
        )
    return row


async def void_mailed_tokens(
    session: AsyncSession, user_id: str, now: datetime, proof: TokenPurpose
) -> None:
    """Makes the user's unused tokens of this purpose invalid."""
    await session.execute(
        update(MailedTokenRow)
        .where(
            col(MailedTokenRow.user_id) == user_id,
            col(MailedTokenRow.purpose) == proof.value,
            col(MailedTokenRow.used_at).is_(None),
        )
        .values(used_at=now)
        .execution_options(synchronize_session=False)
    )
