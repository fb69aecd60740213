"""`control publish`: publishes committed changes to the edges, one leader at a time."""

import asyncio
from collections.abc import Awaitable, Callable

from prometheus_client import CollectorRegistry

from control.delivery.edge_status.ack_collector import AckCollector
from control.delivery.edge_status.metrics import EdgeCollector
from control.delivery.snapshot_publishing.metrics import PublishMetrics
from control.delivery.snapshot_publishing.publisher import Publisher
from control.delivery.snapshot_publishing.pull_responses import PullResponses
from control.delivery.snapshot_publishing.wiring import open_channel
from control.foundation.process_shell import internal_listener, until_stopped
from control.foundation.settings import ControlSettings
from control.outbox.outbox import NOTIFY_CHANNEL
from control.processes.snapshot_pull_server import pull_app, pull_listener
from control.storage.leader_election import Leadership, lead
from control.storage.leader_status import LeaderStatus
from control.wiring import open_control


async def run(settings: ControlSettings) -> None:
    """Runs until SIGTERM or SIGINT. A standby also serves edges that pull."""
    registry = CollectorRegistry()
    status = LeaderStatus(registry)
    async with (
        open_control(settings) as control,
        open_channel(settings) as channel,
    ):
        publisher = Publisher(
            control.database,
            channel,
            control.clock,
            PublishMetrics(registry),
            beat_s=settings.heartbeat_s,
            ring=settings.delta_history,
        )
        reports = AckCollector(control.database, channel, control.clock)
        watch = EdgeCollector(control.database, control.clock)
        registry.register(watch)
        pulled = PullResponses(control.database, control.clock)
        app = pull_app(control.keys, control.clock, pulled, reports)

        def find_error() -> str | None:
            return status.find_error() or publisher.error

        async def lead_both() -> None:
            await _together(publisher.run, reports.collect, watch.run)

        async with (
            pull_listener(settings, app),
            internal_listener(settings, "publish", registry, find_error),
        ):
            await until_stopped(
                lead(
                    settings.direct_database_url,
                    Leadership.PUBLISH,
                    lead_both,
                    on_change=status.change,
                    listen=(NOTIFY_CHANNEL, publisher.wakeup),
                )
            )


async def _together(*bodies: Callable[[], Awaitable[None]]) -> None:
    async with asyncio.TaskGroup() as tasks:
        for body in bodies:
            tasks.create_task(_run(body))


async def _run(body: Callable[[], Awaitable[None]]) -> None:
    await body()
