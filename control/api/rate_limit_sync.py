"""Shares rate limits among API processes: each publishes its spending twice a second, and no request waits."""

import asyncio

import structlog

from control.api.context import ControlContext
from control.ports.rates import RatesUnavailable

PAUSE_S = 0.5
_log: structlog.stdlib.BoundLogger = structlog.get_logger("rates")


async def share_rates(control: ControlContext) -> None:
    """Runs as long as the process. An outage is logged once, at its start and at its end."""
    unavailable = False
    while True:
        try:
            await exchange_once(control)
        except RatesUnavailable as error:
            if not unavailable:
                _log.warning("rate_limit_sync_failed", reason=str(error))
            unavailable = True
        else:
            if unavailable:
                _log.info("rate_limit_sync_recovered")
            unavailable = False
        await asyncio.sleep(PAUSE_S)


async def exchange_once(control: ControlContext) -> None:
    """Raises `RatesUnavailable`; then the spending of this process is not counted by the others."""
    await control.rates.report(control.limiter.take_spent())
    for spent in await control.rates.receive():
        control.limiter.charge(spent, control.clock.monotonic_s())
