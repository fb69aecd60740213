"""Whether the scheduler finds that work waits for a job."""

from collections.abc import Awaitable, Callable

from prometheus_client import CollectorRegistry

from control.api.context import ControlContext
from control.operations.scheduler.schedule import JOBS, Schedule, WorkMetrics


async def work_waits(
    control: ControlContext, act: Callable[[ControlContext], Awaitable[None]]
) -> bool:
    (job,) = (job for job in JOBS if job.act is act)
    schedule = Schedule(control, [job], WorkMetrics(CollectorRegistry()))
    return job.name in await schedule.find_waiting([job])
