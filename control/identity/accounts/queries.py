"""Database queries that create an account and find users by their address."""

from datetime import datetime, timedelta

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.contract.permissions import Role
from common.values.enums import AccountState
from common.values.ids import new_id
from control.foundation.settings import ControlSettings
from control.storage.tables.accounts import AccountRow, MembershipRow, UserRow

_FIRST_ACCOUNT_LOCK = 0x61636374  # held while checking whether an account is the first


async def find_user_by_email(session: AsyncSession, email: str) -> UserRow | None:
    """*email*: in its normal form, as `parse_email` returns it."""
    return await session.scalar(select(UserRow).where(col(UserRow.email) == email))


async def add_account(
    session: AsyncSession,
    *,
    name: str,
    owner_name: str,
    email: str,
    password_hash: str,
    currency: str,
    language: str | None,
    credit_limit_cents: int | None,
    now: datetime,
) -> tuple[AccountRow, UserRow, Role]:
    """
    Create an account with its owner. The first account of a database belongs to the operator: it has no credit limit,
    and it needs no verified address, because a new installation may have no mail server yet.
    """
    is_first = await _is_first(session)
    account = AccountRow(
        id=new_id(),
        name=name,
        currency=currency,
        state=AccountState.ACTIVE,
        billing_mode="invoiced",
        credit_limit_cents=None if is_first else credit_limit_cents,
        is_operator=is_first,
        address_verified_at=now if is_first else None,
        created_at=now,
        updated_at=now,
    )
    user = UserRow(
        id=new_id(),
        email=email,
        name=owner_name,
        password_hash=password_hash,
        language=language,
        created_at=now,
    )
    session.add_all((account, user))
    await session.flush()
    session.add(
        MembershipRow(
            account_id=account.id,
            user_id=user.id,
            role=Role.OWNER,
            invited_by=None,
            created_at=now,
            updated_at=now,
        )
    )
    await session.flush()
    return account, user, Role.OWNER


async def _is_first(session: AsyncSession) -> bool:
    """
    Whether no account exists.
    Two concurrent sign-ups cannot both be the first: one waits for the other to commit.
    """
    if await _any_account(session):
        return False
    await session.execute(
        text("select pg_advisory_xact_lock(:lock)"), {"lock": _FIRST_ACCOUNT_LOCK}
    )
    return not await _any_account(session)


async def _any_account(session: AsyncSession) -> bool:
    return bool(await session.scalar(text("select exists (select from accounts)")))


def begin_trial(account: AccountRow, settings: ControlSettings, now: datetime) -> None:
    """Start the trial of a new account, if subscriptions are on."""
    if not settings.subscriptions:
        return
    account.subscription_price_cents = settings.subscription_price_cents
    account.subscription_term = settings.subscription_term.value
    account.term_started_at = now
    account.trial_ends_at = now + timedelta(days=settings.trial_days)
    account.subscription_ends_at = account.trial_ends_at
    account.subscription_renews = False
