"""
PostgreSQL loses its disk and is restored from a backup to a point in time; the events after that point come back from
the edges' disks.
"""

import shutil
from pathlib import Path
from uuid import UUID

import httpx

from common.values.clock import SystemClock
from deploy.drills.figures import Figures
from deploy.drills.ground import Ground, ground
from deploy.drills.oracle import Traffic, await_stored, find_stored
from deploy.standalone.postgres import find_programs

_COUNT = 100


async def restore_backup() -> Figures:
    figures = Figures("backup-restore", "python -m control reconcile --explain")
    with ground() as on:
        async with httpx.AsyncClient(timeout=20) as http:
            await _drill(on, Traffic.on(on.stack.demo, on.postgres.url, http), figures)
    return figures


async def _drill(on: Ground, traffic: Traffic, figures: Figures) -> None:
    programs = str(find_programs())
    folder = on.folder / "backup"
    await _show(traffic)
    with figures.timed("backup"):
        on.check_control("backup", str(folder), "--programs", programs)
    await _show(traffic)
    until = SystemClock().now()
    kept = set(traffic.acknowledged)
    await _show(traffic)
    on.postgres.query("select pg_switch_wal()")

    data = on.folder / "postgres" / "data"
    owner = data.stat()
    on.postgres.kill()
    shutil.rmtree(data)
    with figures.timed("restore"):
        on.check_control(
            *("restore", str(folder), "--into", str(data), "--archive", str(on.archive)),
            *("--until", until.isoformat()),
        )
        _give(data, owner.st_uid, owner.st_gid)
        on.postgres.start()
    await _note_restored(on, traffic, kept, figures)
    with figures.timed("recovery"):
        await traffic.settle()
    with figures.timed("next_event"):
        await traffic.until_it_serves()
    figures.of(traffic, await traffic.settle())


async def _show(traffic: Traffic) -> None:
    """Events of which each is stored: what comes later has a later time."""
    await traffic.show(_COUNT)
    await traffic.settle()


async def _note_restored(on: Ground, traffic: Traffic, kept: set[UUID], figures: Figures) -> None:
    """What the restored database holds of the events before and after the point in time."""
    before = await await_stored(on.postgres.url, kept, patience_s=0)
    after = await find_stored(on.postgres.url, traffic.acknowledged - kept)
    figures.notes["missing_before_the_point"] = before.lost
    figures.notes["missing_after_the_point"] = after.lost


def _give(folder: Path, user: int, group: int) -> None:
    """Data that root restored belongs to the server's user."""
    for path in (folder, *folder.rglob("*")):
        shutil.chown(path, user, group)
