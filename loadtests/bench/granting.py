"""
An allocator of leases for benches without a control plane. It grants plenty to every worker, as fast as the real one.
An edge under test thus holds, spends and renews a lease of each campaign as in production.

Run as a process of its own: ``python -m loadtests.bench.granting REDIS_URL NAMESPACE``.
"""

import asyncio
import sys
import time

from common.pacing.lease_messages import encode_grants, parse_report, run_to_end
from common.service.channels import Channels
from control.adapters.redis_leases import RedisLeaseMailbox
from control.delivery.leasing.budget_limits import BudgetFigures, BudgetLimit
from control.delivery.leasing.lease_allocator import LeaseAllocator

_ROUND_S = 0.25
_SETTLE_MS = 660_000
_PLENTY = BudgetFigures(unit_micros=1_000_000, total=BudgetLimit(2**61, 0, 0), daily=None)


async def grant_for_ever(redis_url: str, namespace: str) -> None:
    mailbox = RedisLeaseMailbox(redis_url, Channels(namespace))
    allocator = LeaseAllocator(1, settle_ms=_SETTLE_MS)
    while True:
        now_ms = time.time_ns() // 1_000_000
        received = [
            name
            for name, raw in (await mailbox.reports()).items()
            if run_to_end(allocator.receive_report_steps(name, parse_report(raw), now_ms))
        ]
        run_to_end(
            allocator.grant_steps(dict.fromkeys(allocator.requested_campaigns, _PLENTY), now_ms)
        )
        await mailbox.put(
            {name: encode_grants(run_to_end(allocator.grants_steps(name, {}))) for name in received}
        )
        await asyncio.sleep(_ROUND_S)


if __name__ == "__main__":
    asyncio.run(grant_for_ever(*sys.argv[1:3]))
