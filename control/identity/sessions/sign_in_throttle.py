"""
Limits failed sign-ins, without letting others lock a user out.

Failed attempts are counted three times: by address and network, by network, and by address over all networks. On a
network where the user signed in before, only the first count applies, so attempts from elsewhere have no effect.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from control.foundation.rate_limit import Rate
from control.storage.db_rate_limit import Throttle

_PAIR = Throttle("sign-in:pair", Rate(10, 300.0, burst=10))
_NETWORK = Throttle("sign-in:network", Rate(100, 900.0, burst=100))
_EMAIL = Throttle("sign-in:email", Rate(20, 3600.0, burst=20))


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt for *email* from *network*. ``is_known``: this user proved their identity there before."""

    email: str
    network: str
    is_known: bool

    async def begin(self, session: AsyncSession, now: datetime) -> None:
        """Counts as a failure until `succeed` or `refund`. Raises `Refused` (429), and then counts nothing."""
        await _PAIR.check(session, now, self.email, self.network)
        if not self.is_known:
            await _NETWORK.check(session, now, self.network)
            await _EMAIL.check(session, now, self.email)

    async def succeed(self, session: AsyncSession) -> None:
        await _PAIR.reset(session, self.email, self.network)
        await self._refund_network(session)

    async def refund(self, session: AsyncSession) -> None:
        """Uncount the attempt: the password was right, and only the second factor was missing."""
        await _PAIR.refund(session, self.email, self.network)
        await self._refund_network(session)

    async def _refund_network(self, session: AsyncSession) -> None:
        """Take back one each, not all: otherwise an attacker could reset the network's count with their own account."""
        if not self.is_known:
            await _NETWORK.refund(session, self.network)
            await _EMAIL.refund(session, self.email)
