"""Which adapter carries leases."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from common.service.channels import Channels
from control.adapters.redis_leases import RedisLeaseDesk
from control.foundation.settings import ControlSettings
from control.ports.leases import LeaseDesk


@asynccontextmanager
async def open_desk(settings: ControlSettings) -> AsyncIterator[LeaseDesk]:
    """Connects at first use."""
    desk = RedisLeaseDesk(settings.redis_url, Channels(settings.namespace))
    try:
        yield desk
    finally:
        await desk.close()
