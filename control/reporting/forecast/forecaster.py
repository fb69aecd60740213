"""Runs forecasts in separate processes, few at a time and for a limited time, so that the API's loop is not blocked."""

import asyncio
import pickle

from common.service.child_process import run_module
from common.values.errors import Unavailable
from common.values.messages import Message
from control.reporting.forecast.job import Forecast, Job

_QUEUE_S = 5.0
_WALL_S = 30.0
_BUSY = Message("Too many forecasts are in progress. Try again shortly.")
_FAILED = Message(
    "The forecast took too long or failed. Try again, or choose fewer properties or days."
)


class Forecaster:
    """At most *at_once* at a time; other requests wait for a while, then get a 503."""

    def __init__(self, *, at_once: int = 2) -> None:
        self._places = asyncio.Semaphore(at_once)

    async def make(self, job: Job) -> Forecast | None:
        """Returns None where too little traffic was recorded. Raises `Unavailable`."""
        try:
            async with asyncio.timeout(_QUEUE_S):
                await self._places.acquire()
        except TimeoutError:
            raise Unavailable(_BUSY, retry_after_s=5) from None
        try:
            return await _run(job)
        finally:
            self._places.release()


async def _run(job: Job) -> Forecast | None:
    payload = await asyncio.to_thread(pickle.dumps, job)
    output = await run_module("control.reporting.forecast", wall_s=_WALL_S, stdin=payload)
    if output is None:
        raise Unavailable(_FAILED, retry_after_s=5)
    found: Forecast | None = pickle.loads(output)  # noqa: S301 - from the process that was started
    return found
