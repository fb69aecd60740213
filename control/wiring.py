"""The one place that builds what a process of the control plane shares. Nothing is connected before it is used."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from common.clock import SystemClock
from control.adapters.manual_payments import ManualPayments
from control.context import ControlContext
from control.database import Database
from control.settings import ControlSettings


@asynccontextmanager
async def open_control(settings: ControlSettings) -> AsyncIterator[ControlContext]:
    """Raises `KeyFileInvalid` where the key file cannot be read; a database that is away is found at first use."""
    control = ControlContext(
        settings=settings,
        clock=SystemClock(),
        database=Database(settings.database_url),
        keys=settings.key_ring(),
        payments=ManualPayments(settings.top_up_instructions),
    )
    try:
        yield control
    finally:
        control.passwords.close()
        await control.database.close()
