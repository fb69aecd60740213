"""Waiting for what must come, without saying how long it takes."""

import asyncio
from collections.abc import Awaitable, Callable

PATIENCE_S = 120.0
"""No outcome depends on it: it only ends a test that would hang."""


async def until(found: Callable[[], Awaitable[bool]], *, every_s: float = 0.02) -> None:
    """Asks again and again; TimeoutError after `PATIENCE_S`."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            if await found():
                return
            await asyncio.sleep(every_s)
