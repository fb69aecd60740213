"""Chooses the adapter that carries the events."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from common.service.channels import Channels
from common.service.kafka_connection import KafkaConnection
from control.adapters.redis_stream_source import RedisStreamEventSource
from control.foundation.settings import ControlSettings
from control.ports.events import EventSource


@asynccontextmanager
async def open_source(
    settings: ControlSettings, channels: Channels | None = None
) -> AsyncIterator[EventSource]:
    """
    Opens Kafka where it is configured, Redis Streams otherwise. The log is that of events unless *channels* name
    another.
    """
    channels = channels or Channels(settings.namespace)
    source: EventSource
    if settings.kafka_bootstrap_servers:
        # Imported only with a broker: see `common.service.kafka_connection`.
        from control.adapters.kafka_source import KafkaEventSource

        source = KafkaEventSource(KafkaConnection.of(settings), channels)
    else:
        source = RedisStreamEventSource(settings.log_redis, channels)
    try:
        yield source
    finally:
        await source.close()
