"""
PostgreSQL loses its disk and is restored from a backup to a point in time; the events after that point come back from
the edges' disks.
"""

import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from uuid import UUID

from common.values.clock import SystemClock
from deploy.drills.figures import Figures
from deploy.drills.ground import Ground, check_control, under_traffic
from deploy.drills.oracle import PATIENCE_S, Traffic, await_stored, find_stored
from deploy.standalone.postgres import find_programs

_COUNT = 100
_LOOK_S = 0.1
_ARCHIVED = "select coalesce(last_archived_wal >= '{0}', false) from pg_stat_archiver"


async def restore_backup() -> Figures:
    figures = Figures("backup-restore", "python -m control reconcile --explain")
    async with under_traffic() as (on, traffic):
        await _drill(on, traffic, figures)
    return figures


async def _drill(on: Ground, traffic: Traffic, figures: Figures) -> None:
    folder = on.folder / "backup"
    await show_and_store(traffic)
    with figures.timed("backup"):
        back_up(on, folder)
    await show_and_store(traffic)
    until = SystemClock().now()
    kept = set(traffic.acknowledged)
    await show_and_store(traffic)
    archive_all(on)

    data = on.folder / "postgres" / "data"
    # The edges send records again within seconds: nothing may be stored before it is noted what was missing.
    with on.stack.frozen("ingest"):
        on.postgres.kill()
        shutil.rmtree(data)
        with figures.timed("restore"):
            restore(on.environment, folder, data, on.archive, "--until", until.isoformat())
            on.postgres.start()
        await _note_restored(on, traffic, kept, figures)
    with figures.timed("recovery"):
        await traffic.settle()
    with figures.timed("next_event"):
        await traffic.until_it_serves()
    figures.of(traffic, await traffic.settle())


async def show_and_store(traffic: Traffic) -> None:
    """Events of which each is stored: what comes later has a later time."""
    await traffic.show(_COUNT)
    await traffic.settle()


def back_up(on: Ground, folder: Path) -> None:
    on.check_control("backup", str(folder), "--programs", str(find_programs()))


def restore(
    environment: Mapping[str, str], folder: Path, data: Path, archive: Path, *options: str
) -> None:
    """Writes *data* from the backup in *folder*. What root restored belongs to the owner of the folder above it."""
    into = ("--into", str(data), "--archive", str(archive))
    check_control(environment, "restore", str(folder), *into, *options)
    owner = data.parent.stat()
    for path in (data, *data.rglob("*")):
        shutil.chown(path, owner.st_uid, owner.st_gid)


def archive_all(on: Ground) -> None:
    """Raises TimeoutError where the WAL written so far does not come to the archive."""
    last = on.postgres.query("select pg_walfile_name(pg_switch_wal())")
    deadline = time.monotonic() + PATIENCE_S
    while on.postgres.query(_ARCHIVED.format(last)) != "t":
        if time.monotonic() > deadline:
            raise TimeoutError(f"{last} was not archived within {PATIENCE_S} s")
        time.sleep(_LOOK_S)


async def _note_restored(on: Ground, traffic: Traffic, kept: set[UUID], figures: Figures) -> None:
    """What the restored database holds of the events before and after the point in time."""
    before = await await_stored(on.postgres.url, kept, patience_s=0)
    after = await find_stored(on.postgres.url, traffic.acknowledged - kept)
    figures.notes["missing_before_the_point"] = before.lost
    figures.notes["missing_after_the_point"] = after.lost
    figures.notes["stored_after_the_point"] = after.stored
