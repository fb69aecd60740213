"""A worker's own way of decision records: recorder, spool, log, and the shipping between them."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from common.channels import Channels
from common.tracking.event import WriterId
from edge.adapters.kafka_events import KafkaEventLog
from edge.adapters.redis_stream_events import RedisStreamEventLog
from edge.decisions.recorder import DecisionRecorder
from edge.events.orphan import ship_orphans
from edge.events.ship import Shipper
from edge.events.spool import Spool
from edge.ports import EventLog
from edge.settings import EdgeSettings
from edge.tasks import running

FOLDER = "decisions"
"""In the spool's folder; no writer's folder has such a name."""
_ALL = 1_000_000
_MAX_ENTRIES = 20_000
"""Of one Redis stream."""
_SYNC_MS = 100.0
_DRAIN_S = 1.0


@asynccontextmanager
async def open_recorder(settings: EdgeSettings, events: Spool) -> AsyncIterator[DecisionRecorder]:
    """Ships while it is open. Neither opening nor closing waits for the log; what is not shipped stays on disk."""
    log = _open_log(settings)
    spool = await asyncio.to_thread(_open_spool, settings)
    shipper = Shipper(spool, log)
    folder = settings.spool_dir / FOLDER
    sample_ppm = _ALL if settings.environment.is_test else settings.decision_sample_ppm
    try:
        async with running(shipper.run, partial(ship_orphans, folder, log)):
            yield DecisionRecorder(spool, events, sample_ppm=sample_ppm)
            await shipper.drain(_DRAIN_S)
    finally:
        await spool.close()
        await log.close()


def _open_log(settings: EdgeSettings) -> EventLog:
    channels = Channels(settings.namespace).decisions
    if settings.kafka:
        return KafkaEventLog(settings.kafka, channels.log_topic)
    return RedisStreamEventLog.open(
        settings.redis_url, channels, max_entries=_MAX_ENTRIES, may_lose=True
    )


def _open_spool(settings: EdgeSettings) -> Spool:
    return Spool.open(
        settings.spool_dir / FOLDER,
        WriterId(settings.edge_name, uuid.uuid4().hex),
        max_bytes=settings.decision_spool_max_bytes,
        sync_ms=_SYNC_MS,
    )
