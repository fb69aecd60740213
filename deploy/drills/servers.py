"""
PostgreSQL, Redis and Kafka lose their disks at the same instant, under traffic. They come back at their addresses:
PostgreSQL from the backup and the archived WAL, Redis and Kafka empty. No process of the stack is restarted.
"""

import shutil

from deploy.drills.archived_state import archive_state
from deploy.drills.backup import restore
from deploy.drills.campaigns import HIGH_BID_CENTS, make_campaign, until_shown
from deploy.drills.figures import Figures
from deploy.drills.ground import Ground, under_traffic
from deploy.drills.oracle import Traffic

_COUNT = 100


async def lose_all_servers() -> Figures:
    figures = Figures("servers-lost", "python -m control reconcile --explain")
    async with under_traffic(with_kafka=True) as (on, traffic):
        await _drill(on, traffic, figures)
    return figures


async def _drill(on: Ground, traffic: Traffic, figures: Figures) -> None:
    state = await archive_state(on, traffic)
    held = await traffic.serve(_COUNT)
    data = on.folder / "postgres" / "data"
    for server in (on.broker, on.redis, on.postgres):
        server.kill()
    shutil.rmtree(data)
    on.redis.wipe()
    on.broker.wipe()
    await traffic.track(held)
    figures.notes["serves_without_servers"] = await traffic.count_serves(_COUNT)

    with figures.timed("restore"):
        restore(on.environment, state.backup, data, on.archive)
        on.postgres.start()
    # No event can return before the event log does, so this is what the archive held.
    await state.note_events(figures, on.postgres.url, traffic)
    with figures.timed("recovery"):
        with figures.timed("start"):
            on.redis.start()
            on.broker.start()
        await traffic.settle()
    state.note_campaigns(figures, on.stack.demo)
    with figures.timed("next_change"):
        await until_shown(traffic, make_campaign(on.stack.demo, "New", bid_cents=HIGH_BID_CENTS))
    verdict = await traffic.settle()
    on.check_control("admin", "money", "check")
    figures.notes["ledger"] = "balances equal their postings"
    figures.of(traffic, verdict)
