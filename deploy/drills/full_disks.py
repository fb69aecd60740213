"""The disk of an edge's spool, of PostgreSQL or of Kafka is full under traffic, and gets room again."""

from dataclasses import replace

from deploy.drills.disk import SmallDisk, small_disk
from deploy.drills.figures import Figures
from deploy.drills.ground import under_traffic
from deploy.drills.oracle import Traffic
from deploy.drills.second_edge import SecondEdge
from deploy.standalone.server import Server, started

_COUNT = 100
_PROOF = "python -m control reconcile --explain"
_LOOK_S = 5.0
"""Time for events of a full disk to be stored in spite of it."""


async def fill_the_disk_of_an_edge() -> Figures:
    """Spool, snapshots and everything else that an edge writes are on that disk."""
    figures = Figures("disk-full-edge", _PROOF)
    async with under_traffic() as (on, of_the_stack):
        folder = on.folder / "small"
        with (
            small_disk(folder, "32m") as disk,
            started(SecondEdge(folder, on.stack.edge_environment)) as edge,
        ):
            traffic = replace(of_the_stack, edge_url=edge.url)
            await traffic.until_it_serves()
            await traffic.show(_COUNT)
            tokens = await traffic.serve(_COUNT)
            disk.fill()
            before = set(traffic.acknowledged)
            await traffic.track(tokens)
            figures.notes["acknowledged_on_a_full_disk"] = len(traffic.acknowledged - before)
            figures.notes["refused"] = traffic.tracks[503]
            figures.notes["serves_on_a_full_disk"] = await traffic.count_serves(_COUNT)
            disk.make_room()
            with figures.timed("recovery"):
                await traffic.until_it_serves()
            # As a client library does after a 503.
            await traffic.track(tokens)
            figures.of(traffic, await traffic.settle())
    return figures


async def fill_the_disk_of_postgres() -> Figures:
    """Tables and WAL are on that disk; the archive is elsewhere."""
    figures = Figures("disk-full-postgres", "python -m control admin money check")
    async with under_traffic(disks={"postgres": "512m"}) as (on, traffic):
        await _fill(on.disks["postgres"], on.postgres, traffic, figures)
        on.check_control("admin", "money", "check")
    return figures


async def fill_the_disk_of_kafka() -> Figures:
    figures = Figures("disk-full-kafka", _PROOF)
    async with under_traffic(with_kafka=True, disks={"kafka": "512m"}) as (on, traffic):
        await _fill(on.disks["kafka"], on.broker, traffic, figures)
    return figures


async def _fill(disk: SmallDisk, server: Server, traffic: Traffic, figures: Figures) -> None:
    await traffic.show(_COUNT)
    await traffic.settle()
    stored = set(traffic.acknowledged)
    disk.fill()
    await traffic.show(_COUNT)
    while_full = await traffic.settle(patience_s=_LOOK_S)
    figures.notes["acknowledged_on_a_full_disk"] = len(traffic.acknowledged - stored)
    figures.notes["waiting_on_a_full_disk"] = while_full.lost
    figures.notes["serves_on_a_full_disk"] = await traffic.count_serves(_COUNT)
    figures.notes["runs_on_a_full_disk"] = server.alive()
    disk.make_room()
    with figures.timed("recovery"):
        if not server.alive():
            server.start()
        await traffic.settle()
    with figures.timed("next_event"):
        await traffic.until_it_serves()
    figures.of(traffic, await traffic.settle())
