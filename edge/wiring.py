"""Chooses what an edge runs on. The only file that names adapters; the memory ones are never among them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from common.channels import Channels
from edge.adapters.redis_snapshots import RedisSnapshotSource
from edge.ports import SnapshotSource
from edge.settings import EdgeSettings


@asynccontextmanager
async def open_snapshot_source(settings: EdgeSettings) -> AsyncIterator[SnapshotSource]:
    """For the supervisor. Connects at the first call, so Redis may be away."""
    channels = Channels(settings.namespace)
    source = RedisSnapshotSource(settings.redis_url, channels, settings.environment)
    try:
        yield source
    finally:
        await source.close()
