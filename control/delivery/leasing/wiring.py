"""Chooses the adapter of the lease mailbox."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from common.service.channels import Channels
from control.adapters.redis_leases import RedisLeaseMailbox
from control.foundation.settings import ControlSettings
from control.ports.leases import LeaseMailbox


@asynccontextmanager
async def open_mailbox(settings: ControlSettings) -> AsyncIterator[LeaseMailbox]:
    """Connects at first use."""
    mailbox = RedisLeaseMailbox(settings.lease_redis, Channels(settings.namespace))
    try:
        yield mailbox
    finally:
        await mailbox.close()
