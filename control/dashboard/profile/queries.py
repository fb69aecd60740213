"""A user's own second factor, as the dashboard shows it; the API does not offer this."""

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlmodel import col

from control.api.context import ControlContext
from control.identity.two_factor.queries import count_recovery_codes
from control.storage.tables.people import SecondFactorRow


@dataclass(frozen=True, slots=True)
class FactorStanding:
    """``codes_left``: unused recovery codes."""

    is_on: bool
    codes_left: int


async def factor_standing(control: ControlContext, user_id: str) -> FactorStanding:
    """A factor belongs to no account, so this runs as the service role."""
    wanted = select(func.count()).where(
        col(SecondFactorRow.user_id) == user_id, col(SecondFactorRow.confirmed_at).is_not(None)
    )
    async with control.database.service() as session:
        is_on = bool(await session.scalar(wanted))
        codes = await count_recovery_codes(session, user_id) if is_on else 0
    return FactorStanding(is_on, codes)
