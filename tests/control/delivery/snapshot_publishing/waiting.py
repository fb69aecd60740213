"""Waiting for what another task or process brings about."""

import asyncio
from collections.abc import Awaitable, Callable

from tests.support.waiting import PATIENCE_S

_STEP_S = 0.01


async def until(holds: Callable[[], bool]) -> None:
    async def ask() -> bool:
        return holds()

    await until_async(ask)


async def until_async(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not await holds():  # noqa: ASYNC110 - what a database or another process does has no event
            await asyncio.sleep(_STEP_S)


async def within(event: asyncio.Event) -> None:
    async with asyncio.timeout(PATIENCE_S):
        await event.wait()
