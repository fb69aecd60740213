"""
`control ingest`: moves events and decisions from their logs into PostgreSQL; several
processes may share the work.
"""

import asyncio
import signal

from prometheus_client import CollectorRegistry

from common.service.exposition import TraceCollector
from common.service.tracing import open_tracer, read_tracing
from control.events.ingest.consumer import Consumer
from control.events.ingest.consumer_split import SharedSource
from control.events.ingest.metrics import IngestMetrics
from control.events.ingest.store_factory import limits_of, open_store
from control.events.ingest.tracing import IngestTracing
from control.events.ingest.wiring import open_source
from control.foundation.process_shell import internal_listener, spare_what_stays
from control.foundation.settings import ControlSettings
from control.reporting.decision_log.ingest import open_decisions
from control.wiring import open_control

_YOUNG = 200_000
"""
New objects before a collection: those of several batches, none in a cycle.

Their inputs and lists live for minutes.
"""


async def run(settings: ControlSettings) -> None:
    """Runs until SIGTERM or SIGINT; the current batch is finished first."""
    registry = CollectorRegistry()
    async with (
        open_tracer(read_tracing(), "placard-ingest") as tracer,
        open_control(settings.without_pooler()) as control,
        open_source(settings) as source,
        open_decisions(settings, control, registry) as decisions,
    ):
        tracing = None if tracer is None else IngestTracing.of(tracer, settings)
        if tracer is not None:
            registry.register(TraceCollector(tracer))
        metrics = IngestMetrics(registry)
        store = open_store(control, limits_of(settings), tracing=tracing)
        shared = SharedSource(source, settings.ingest_consumers)
        consumers = [
            Consumer(
                shared.share(number),
                store,
                clock=control.clock,
                metrics=metrics,
                batch=settings.ingest_batch,
                wait_ms=settings.ingest_wait_ms,
            )
            for number in range(settings.ingest_consumers)
        ]

        def find_error() -> str | None:
            return next((one.error for one in consumers if one.error is not None), None)

        async with internal_listener(settings, "ingest", registry, find_error):
            stop = _stop_signal()
            spare_what_stays(young=_YOUNG)
            async with asyncio.TaskGroup() as tasks:
                for consumer in consumers:
                    tasks.create_task(consumer.run(stop))
                tasks.create_task(decisions.run(stop))


def _stop_signal() -> asyncio.Event:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop
