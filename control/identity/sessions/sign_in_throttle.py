"""
How often a sign-in may fail, without a way for strangers to lock a person out.

Three counts of attempts that failed: by address and network, by network, by address over all networks. From a network
where the person proved themself before only the first one counts: what others do elsewhere is not felt there.
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
    """One try for *email* from *network*. ``is_known``: this person proved themself there before."""

    email: str
    network: str
    is_known: bool

    async def begin(self, session: AsyncSession, now: datetime) -> None:
        """Counts as a failure until `succeed` or `give_back`. Raises `Refused` (429), and then counts nothing."""
        await _PAIR.check(session, now, self.email, self.network)
        if not self.is_known:
            await _NETWORK.check(session, now, self.network)
            await _EMAIL.check(session, now, self.email)

    async def succeed(self, session: AsyncSession) -> None:
        await _PAIR.forget(session, self.email, self.network)
        await self._give_back_wide(session)

    async def give_back(self, session: AsyncSession) -> None:
        """Nothing was guessed: the right password, and a question about the second factor."""
        await _PAIR.give_back(session, self.email, self.network)
        await self._give_back_wide(session)

    async def _give_back_wide(self, session: AsyncSession) -> None:
        """One each, not all: else an account of one's own would clear the network's count."""
        if not self.is_known:
            await _NETWORK.give_back(session, self.network)
            await _EMAIL.give_back(session, self.email)
