"""`control publish`: carries what was committed to the edges, one leader at a time."""

from prometheus_client import CollectorRegistry

from control.internal import internal_listener, until_stopped
from control.publishing.metrics import PublishMetrics
from control.publishing.outbox import NOTIFY_CHANNEL
from control.publishing.publisher import Publisher
from control.publishing.wiring import open_channel
from control.settings import ControlSettings
from control.wiring import open_control
from control.work.leader import Leadership, lead
from control.work.standing import StandingReport


async def run(settings: ControlSettings) -> None:
    """Until SIGTERM or SIGINT."""
    registry = CollectorRegistry()
    standing = StandingReport(registry)
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
            ring=settings.delta_ring,
        )

        def trouble() -> str | None:
            return standing.trouble() or publisher.trouble

        async with internal_listener(settings, "publish", registry, trouble):
            await until_stopped(
                lead(
                    settings.database_url,
                    Leadership.PUBLISH,
                    publisher.run,
                    on_change=standing.change,
                    listen=(NOTIFY_CHANNEL, publisher.bell),
                )
            )
