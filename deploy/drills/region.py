"""
A region is lost, and everything continues on other servers: PostgreSQL from the backup and the archived WAL, an empty
Redis, another control plane. An edge keeps its disk, serves meanwhile, and is pointed there.
"""

import shutil
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from deploy.drills.archived_state import archive_state
from deploy.drills.backup import restore
from deploy.drills.campaigns import HIGH_BID_CENTS, make_campaign, until_shown
from deploy.drills.figures import Figures
from deploy.drills.ground import Ground, ground, under_traffic
from deploy.drills.oracle import Traffic
from deploy.drills.second_edge import SecondEdge
from deploy.standalone.server import started

_COUNT = 100
_FILES = ("keys.json", "demo-seed.json")
"""The key file, which is backed up apart from the database; and the demo's own notes."""


async def lose_the_region() -> Figures:
    figures = Figures("region-lost", "python -m control reconcile --explain")
    async with under_traffic() as (on, of_the_stack):
        with started(SecondEdge(on.folder / "edge", on.stack.edge_environment)) as edge:
            traffic = replace(of_the_stack, edge_url=edge.url)
            await traffic.until_it_serves()
            await _drill(on, edge, traffic, figures)
    return figures


async def _drill(on: Ground, edge: SecondEdge, traffic: Traffic, figures: Figures) -> None:
    state = await archive_state(on, traffic)
    held = await traffic.serve(_COUNT)
    environment = on.environment
    files = {name: (on.stack.state / name).read_bytes() for name in _FILES}
    on.stack.kill()
    on.redis.kill()
    on.postgres.kill()
    await traffic.track(held)
    figures.notes["serves_without_a_region"] = await traffic.count_serves(_COUNT)

    def write_data(data: Path) -> None:
        _restore(on, environment, state.backup, data)

    with ExitStack() as ending:
        with figures.timed("new_region"):
            new = ending.enter_context(ground(restore=write_data, earlier=files))
        await state.note_events(figures, new.postgres.url, traffic)
        state.note_campaigns(figures, new.stack.demo)
        traffic = replace(traffic, database_url=new.postgres.url)
        with figures.timed("recovery"):
            edge.stop()
            edge.point_to(new.stack.edge_environment)
            edge.start()
            await traffic.settle()
        with figures.timed("next_change"):
            await until_shown(
                traffic, make_campaign(new.stack.demo, "New", bid_cents=HIGH_BID_CENTS)
            )
        verdict = await traffic.settle()
        edge.stop()
    figures.of(traffic, verdict)


def _restore(on: Ground, environment: Mapping[str, str], backup: Path, data: Path) -> None:
    """The new server has the user of the old one."""
    data.parent.mkdir(mode=0o700)
    owner = (on.folder / "postgres").stat()
    shutil.chown(data.parent, owner.st_uid, owner.st_gid)
    restore(environment, backup, data, on.archive)
