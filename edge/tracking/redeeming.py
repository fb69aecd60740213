"""Tokens being redeemed in this process at this moment: the second of two at once waits for the first."""

import asyncio
import uuid
from dataclasses import dataclass

Turn = tuple[uuid.UUID, str]
"""Token id and event kind."""


@dataclass(slots=True)
class RedeemCounts:
    """For metrics; monotone."""

    counted: int = 0
    invalid: int = 0
    """Of those counted: stored, but marked as invalid traffic."""
    duplicate: int = 0
    refused: int = 0
    """No token of ours, or of another environment or property."""
    expired: int = 0
    lost_spool_full: int = 0
    """Events that could not be kept. Track told its caller so; a pixel or redirect could not."""
    store_skipped: int = 0
    """Look-ups and claims that went without the token store."""


class Redeeming:
    """In-flight turns and what became of redeemed tokens. Belongs to one event loop."""

    def __init__(self) -> None:
        self.counts = RedeemCounts()
        self._running: dict[Turn, asyncio.Future[bool]] = {}

    async def take(self, turn: Turn) -> bool:
        """
        True: the turn is the caller's, who must `finish` it. False: another just claimed the same, so this is a
        replay. Waits for another's turn to end.
        """
        while (running := self._running.get(turn)) is not None:
            # Shielded: a caller that goes away must not end the other's turn.
            if await asyncio.shield(running):
                return False
        self._running[turn] = asyncio.get_running_loop().create_future()
        return True

    def finish(self, turn: Turn, *, claimed: bool) -> None:
        """Ends the turn; those who wait see *claimed*, or try themselves."""
        self._running.pop(turn).set_result(claimed)
