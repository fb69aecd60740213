"""Database queries for second factors. A factor belongs to a user, so every query takes the user."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.service.secrets import KeyRing, Purpose
from control.identity.two_factor.rules import find_step, recovery_hash
from control.storage.tables.people import RecoveryCodeRow, SecondFactorRow


@dataclass(frozen=True, slots=True)
class FactorStatus:
    """``codes_left``: unused recovery codes."""

    is_on: bool
    codes_left: int


async def read_status(session: AsyncSession, user_id: str) -> FactorStatus:
    """For the user's own pages: the API has operations that change a factor, and none that shows it."""
    wanted = select(func.count()).where(
        col(SecondFactorRow.user_id) == user_id, col(SecondFactorRow.confirmed_at).is_not(None)
    )
    is_on = bool(await session.scalar(wanted))
    return FactorStatus(is_on, await count_recovery_codes(session, user_id) if is_on else 0)


async def find_factor(session: AsyncSession, user_id: str) -> SecondFactorRow | None:
    """The active or unconfirmed factor, locked until the transaction ends, so that a code is accepted only once."""
    return await session.scalar(
        select(SecondFactorRow).where(col(SecondFactorRow.user_id) == user_id).with_for_update()
    )


async def find_active_factor(session: AsyncSession, user_id: str) -> SecondFactorRow | None:
    row = await find_factor(session, user_id)
    return row if row is not None and row.confirmed_at is not None else None


def accept_code(row: SecondFactorRow, given: str, keys: KeyRing, now: datetime) -> bool:
    """Whether *given* is a current code; marks it as used if so. Raises `SealBroken`."""
    secret = keys.unseal(Purpose.SECOND_FACTORS, row.sealed, bound_to=row.user_id).decode()
    step = find_step(secret, given, now_s=now.timestamp(), last_step=row.last_step)
    if step is None:
        return False
    row.last_step = step
    return True


async def accept_recovery_code(
    session: AsyncSession, user_id: str, given: str, now: datetime
) -> bool:
    """Whether *given* is an unused recovery code; marks it as used if so."""
    used = await session.scalar(
        update(RecoveryCodeRow)
        .where(
            col(RecoveryCodeRow.user_id) == user_id,
            col(RecoveryCodeRow.hash) == recovery_hash(user_id, given),
            col(RecoveryCodeRow.used_at).is_(None),
        )
        .values(used_at=now)
        .returning(col(RecoveryCodeRow.user_id))
    )
    return used is not None


async def count_recovery_codes(session: AsyncSession, user_id: str) -> int:
    """Number of unused recovery codes."""
    found = await session.scalar(
        select(func.count())
        .select_from(RecoveryCodeRow)
        .where(col(RecoveryCodeRow.user_id) == user_id, col(RecoveryCodeRow.used_at).is_(None))
    )
    return found or 0


async def replace_recovery_codes(
    session: AsyncSession, user_id: str, codes: Sequence[str], now: datetime
) -> None:
    await session.execute(delete(RecoveryCodeRow).where(col(RecoveryCodeRow.user_id) == user_id))
    session.add_all(
        RecoveryCodeRow(user_id=user_id, hash=recovery_hash(user_id, code), created_at=now)
        for code in codes
    )


async def delete_factor(session: AsyncSession, user_id: str) -> None:
    await session.execute(delete(RecoveryCodeRow).where(col(RecoveryCodeRow.user_id) == user_id))
    await session.execute(delete(SecondFactorRow).where(col(SecondFactorRow.user_id) == user_id))
