"""Background tasks beside the work of a process. Their errors must not end it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import structlog

_AGAIN_S = 1.0

_log = structlog.get_logger(__name__)


@asynccontextmanager
async def background_tasks(*parts: Callable[[], Coroutine[Any, Any, None]]) -> AsyncIterator[None]:
    """Runs *parts* beside the body and cancels them after it. A part that fails is logged and restarted."""
    tasks = [asyncio.create_task(_for_ever(part)) for part in parts]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _for_ever(part: Callable[[], Coroutine[Any, Any, None]]) -> None:
    while True:
        try:
            await part()
        except Exception:  # noqa: BLE001 - whatever it was, the process goes on
            _log.exception("background_task_failed", retry_in_s=_AGAIN_S)
        await asyncio.sleep(_AGAIN_S)
