"""`control work`: the scheduler, one leader at a time."""

from contextlib import AsyncExitStack

from control.internal import internal_listener, until_stopped
from control.settings import ControlSettings
from control.wiring import open_control
from control.work.leader import Leadership, lead
from control.work.schedule import JOBS, Schedule, WorkMetrics
from control.work.standing import StandingReport


async def run(settings: ControlSettings) -> None:
    """Until SIGTERM or SIGINT."""
    async with AsyncExitStack() as opened:
        control = await opened.enter_async_context(open_control(settings))
        registry = control.metrics.registry
        standing = StandingReport(registry)
        await opened.enter_async_context(
            internal_listener(settings, "work", registry, standing.trouble)
        )
        schedule = Schedule(control, JOBS, WorkMetrics(registry))
        await until_stopped(
            lead(settings.database_url, Leadership.WORK, schedule.run, on_change=standing.change)
        )
