"""Chooses the adapter of the snapshot channel."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from common.service.channels import Channels
from control.adapters.redis_channel import RedisSnapshotChannel
from control.foundation.settings import ControlSettings
from control.ports.snapshots import SnapshotChannel


@asynccontextmanager
async def open_channel(settings: ControlSettings) -> AsyncIterator[SnapshotChannel]:
    """Connects at first use."""
    channel = RedisSnapshotChannel(
        settings.snapshot_redis, Channels(settings.namespace), ring=settings.delta_history
    )
    try:
        yield channel
    finally:
        await channel.close()
