"""Effects of a verified e-mail address, on the user and on the accounts that the user owns."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.contract.permissions import Role
from common.snapshot.model import ObjectType
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from control.outbox.changes import Changes
from control.storage.tables.accounts import AccountRow, MembershipRow, UserRow
from control.storage.tables.properties import PropertyRow


async def record_proof(
    session: AsyncSession, user: UserRow, *, changes: Changes, now: datetime
) -> None:
    """
    Mark the address of *user* as verified, because they have read a mail sent to it.
    Accounts that they own and whose address was not verified may now invite members and serve live. Runs as the
    service.
    """
    user.email_verified_at = now
    owned = select(col(MembershipRow.account_id)).where(
        col(MembershipRow.user_id) == user.id, col(MembershipRow.role) == Role.OWNER.value
    )
    waiting = await session.scalars(
        select(AccountRow)
        .where(col(AccountRow.id).in_(owned), col(AccountRow.address_verified_at).is_(None))
        .with_for_update(key_share=True)
    )
    for account in waiting.all():
        await verify_account(session, account, changes=changes, now=now)


async def verify_account(
    session: AsyncSession, account: AccountRow, *, changes: Changes, now: datetime
) -> None:
    """
    Mark the account as verified.
    Its properties change for edges, which treat those of an unverified one as unverified.
    """
    account.address_verified_at = now
    account.updated_at = now
    account.version += 1
    properties = await session.scalars(
        select(col(PropertyRow.id)).where(col(PropertyRow.account_id) == account.id)
    )
    for property_id in properties.all():
        changes.touch(ObjectType.PROPERTY, property_id)


def check_address_verified(account: AccountRow) -> None:
    """Raises `Refused` (403 `email_unverified`) if the account's address is not verified."""
    if account.address_verified_at is None:
        raise Refused(
            ErrorCode.EMAIL_UNVERIFIED,
            Message(
                "Verify the account's e-mail address first, with the link in the mail sent after the "
                "sign-up. POST /v1/auth/email-verification sends it again."
            ),
        )
