"""`control pace`: grants edge workers their parts of budgets, one leader at a time."""

import gc

from prometheus_client import CollectorRegistry

from control.delivery.leasing.lease_metrics import LeaseMetrics
from control.delivery.leasing.lease_server import LeaseServer
from control.delivery.leasing.wiring import open_mailbox
from control.foundation.process_shell import internal_listener, until_stopped
from control.foundation.settings import ControlSettings
from control.storage.leader_election import Leadership, lead
from control.storage.leader_status import LeaderStatus
from control.wiring import open_control

_COLLECT_YOUNG = (700, 10, 1_000_000_000)
"""
Thresholds of the garbage collector: objects, and collections of the generation before. A full collection scans the data
of 100 000 campaigns and blocks the process for tenths of a second. It recurs when a quarter of the data is new.

Reference counts free all of it. The only old cycles are those of a few lost connections.
"""


async def run(settings: ControlSettings) -> None:
    """Runs until SIGTERM or SIGINT."""
    gc.set_threshold(*_COLLECT_YOUNG)
    registry = CollectorRegistry()
    status = LeaderStatus(registry)
    async with open_control(settings) as control, open_mailbox(settings) as mailbox:
        server = LeaseServer(
            control.database,
            mailbox,
            control.clock,
            LeaseMetrics(registry),
            settle_s=settings.budget_settle_s,
        )

        def find_error() -> str | None:
            return status.find_error() or server.error

        async with internal_listener(settings, "pace", registry, find_error):
            await until_stopped(
                lead(
                    settings.direct_database_url,
                    Leadership.PACE,
                    server.run,
                    on_change=status.change,
                )
            )
