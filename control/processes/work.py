"""`control work`: the scheduler, one leader at a time."""

from prometheus_client import CollectorRegistry

from control.foundation.process_shell import internal_listener, until_stopped
from control.foundation.settings import ControlSettings
from control.operations.scheduler.schedule import JOBS, Schedule, WorkMetrics
from control.storage.leader_election import Leadership, lead
from control.storage.leader_status import LeaderStatus
from control.wiring import open_control


async def run(settings: ControlSettings) -> None:
    """Runs until SIGTERM or SIGINT."""
    registry = CollectorRegistry()
    status = LeaderStatus(registry)
    async with (
        open_control(settings) as control,
        internal_listener(settings, "work", registry, status.find_error),
    ):
        registry.register(control.metrics.mails)
        registry.register(control.metrics.mails_waiting)
        registry.register(control.metrics.verifications)
        registry.register(control.metrics.assets)
        registry.register(control.metrics.asset_bytes)
        registry.register(control.metrics.asset_seconds)
        registry.register(control.metrics.exports)
        registry.register(control.metrics.export_seconds)
        registry.register(control.metrics.report_store_behind)
        registry.register(control.metrics.records_missing)
        registry.register(control.metrics.records_lost)
        registry.register(control.metrics.records_unaccounted)
        schedule = Schedule(control, JOBS, WorkMetrics(registry))
        await until_stopped(
            lead(
                settings.direct_database_url, Leadership.WORK, schedule.run, on_change=status.change
            )
        )
